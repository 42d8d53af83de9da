/** Renders calls that wait for approval. A call is always shown in full where the person decides. */
import type { OpenApproval } from '../../control/contract/people.ts';
import { spellName, spellLookAlikes } from '../../core/approvals/spell-string.ts';
import { visible, withoutDisguise } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { renderSpan } from './time.ts';
import { fullText } from '../../core/approvals/full-text.ts';
import { DEVICE_SOURCE } from '../../core/caller.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { readSubject } from '../../device/exec/subject.ts';

export interface ApprovalsOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
  /** Whether the active exec policy accepts new rules. */
  readonly canAlways: boolean;
}

const MIN_ID = 6;
const MIN_WIDTH = 20;
const INDENT = '  ';
/** Characters of one approval in a list on a terminal, so that it does not hide the others. */
const MAX_LISTED = 2_000;

/** Whether the list on a terminal shows the whole call. */
export const isListedInFull = ({ arguments: shown }: OpenApproval): boolean =>
  visible(shown).length <= MAX_LISTED;

/** A block per approval: the tool, the caller, the id, and the arguments below. */
export function renderApprovals(approvals: readonly OpenApproval[], options: ApprovalsOptions): string {
  if (approvals.length === 0) return 'No call is waiting for your approval.\n';
  const ids = shortIds(approvals.map(({ id }) => id));
  const blocks = approvals.map((approval, index) => [
    titleOf(approval, ids[index]!, options),
    ...listedBody(approval, ids[index]!, options),
    '',
  ]);
  const open = approvals.findIndex(({ state }) => state === 'open');
  const next = open === -1 ? [] : [...nextOf(approvals[open]!, ids[open]!, options), ''];
  return [...blocks.flat(), ...next].join('\n');
}

/** One approval in full. */
export const renderApproval = (approval: OpenApproval, options: ApprovalsOptions): string =>
  [titleOf(approval, approval.id, options), ...bodyOf(approval, options), ''].join('\n');

/** If the list does not show the whole call, the next step is to show it. */
const nextOf = (approval: OpenApproval, id: string, options: ApprovalsOptions): string[] =>
  isListedInFull(approval) || !Number.isFinite(options.width)
    ? nextStep(approval, id, options)
    : [`Next: pincer approvals show ${id}`];

/** The commands that decide it. */
export function nextStep(
  approval: OpenApproval,
  id: string,
  { canAlways }: Pick<ApprovalsOptions, 'canAlways'>,
): string[] {
  if (approval.state !== 'open') return [];
  const once = `Next: pincer approvals allow ${id}, or pincer approvals deny ${id}`;
  const plan = planLines(approval);
  // A command that sets variables or loads code from elsewhere can be allowed only once.
  const isOnlyOnce = plan?.some(({ label }) => label === 'sets' || label === ONLY_ONCE);
  if (!canAlways || plan === undefined || isOnlyOnce === true) return [once];
  return [
    once,
    `  To always allow the same program, arguments, folder and files: pincer approvals allow ${id} --always`,
  ];
}

/** Indents every line, so that no argument can imitate a line of Pincer. */
function bodyOf(approval: OpenApproval, { width, style }: ApprovalsOptions): string[] {
  const plan = planLines(approval);
  if (plan === undefined) return indented(visible(approval.arguments), width, INDENT);
  const room = Math.max(...plan.map(({ label }) => label.length)) + 2;
  const margin = INDENT + ' '.repeat(room);
  return plan.flatMap(({ label, text }) => {
    const [first = '', ...rest] = indented(visible(text), width, margin);
    return [INDENT + style.dim(label.padEnd(room)) + first.slice(margin.length), ...rest];
  });
}

const indented = (text: string, width: number, margin: string): string[] =>
  wrap(text, Math.max(MIN_WIDTH, width - margin.length)).map((line) => margin + line);

function listedBody(approval: OpenApproval, id: string, options: ApprovalsOptions): string[] {
  const body = bodyOf(approval, options);
  if (!Number.isFinite(options.width) || isListedInFull(approval)) return body;
  const rest = `… ${visible(approval.arguments).length} characters in total. Read all: pincer approvals show ${id}, or add --json`;
  return [...body.slice(0, Math.ceil(MAX_LISTED / options.width)), INDENT + options.style.yellow(rest)];
}

function titleOf(approval: OpenApproval, id: string, { style, now }: ApprovalsOptions): string {
  const { server, tool, caller, askedAt, state, expiresAt } = approval;
  const left = expiresAt === undefined ? '' : `, ${renderSpan(Math.max(0, expiresAt - now))} left`;
  const mark = state === 'open' ? style.yellow('?') : style.dim('-');
  const name = style.bold(spellName(`${server}.${tool}`));
  const age = renderSpan(now - askedAt);
  return `${mark} ${name}  ${state}${left}, requested by ${spellName(caller)} ${age} ago  ${style.bold(id)}`;
}

/** The shortest unambiguous beginning of each id. */
export function shortIds(ids: readonly string[]): string[] {
  const sorted = ids.toSorted();
  // In sorted order, the neighbours share the longest prefix with an id.
  const lengths = new Map(
    sorted.map((id, index) => [
      id,
      Math.max(MIN_ID, sharedWith(id, sorted[index - 1]) + 1, sharedWith(id, sorted[index + 1]) + 1),
    ]),
  );
  return ids.map((id) => id.slice(0, lengths.get(id)));
}

/** Length of the common prefix. */
function sharedWith(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length++;
  return length;
}

/** Breaks a text into lines of this width, at any character, without losing or adding one. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const char of text) {
    const room = roomOf(char);
    if (used + room > width && line !== '') {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += char;
    used += room;
  }
  return [...lines, line];
}

/** Characters from Hangul on may take two columns. A line that is too short is better than one that the terminal wraps. */
const roomOf = (char: string): number => (char.codePointAt(0)! < 0x11_00 ? 1 : 2);

/** A fixed label, and a text that may be untrusted. */
interface PlanLine {
  readonly label: string;
  readonly text: string;
}

/** Label of the reason why a command can be allowed only once. */
const ONLY_ONCE = 'only once';

/** Each part of an exec plan on its own line. Returns undefined for another tool, or if these lines would hide something. */
function planLines({ server, tool, arguments: text }: OpenApproval): PlanLine[] | undefined {
  const plan = server === DEVICE_SOURCE && tool === 'system.run' ? subjectIn(text) : undefined;
  if (plan === undefined) return undefined;
  const {
    agent,
    argv,
    path,
    found,
    cwd,
    env,
    envHash,
    operands,
    notCovered = [],
    onlyOnce,
    ...others
  } = plan;
  return [
    { label: 'command', text: argv.map(unmistakable).join(' ') },
    { label: 'program', text: unmistakable(path) },
    ...(found === undefined ? [] : [{ label: 'found at', text: unmistakable(found) }]),
    { label: 'folder', text: unmistakable(cwd) },
    ...Object.entries(env).map(([name, value]) => ({
      label: 'sets',
      text: `${unmistakable(name)}=${value === '' ? '' : unmistakable(value)}`,
    })),
    ...operands.map((each) => ({
      label: 'file',
      text: `${unmistakable(each.path)}  ${'sha256' in each ? `sha256 ${unmistakable(each.sha256)}` : `stamp ${unmistakable(each.stamp)}`}`,
    })),
    ...(agent === undefined ? [] : [{ label: 'agent', text: unmistakable(agent) }]),
    { label: 'environment', text: unmistakable(envHash) },
    ...notCovered.map((text) => ({ label: 'not covered', text: withoutDisguise(text) })),
    ...(onlyOnce === undefined ? [] : [{ label: ONLY_ONCE, text: withoutDisguise(onlyOnce) }]),
    // Members that a later version may add to a plan are shown, too.
    ...Object.entries(others).map(([label, value]) => ({ label, text: spelledJson(value) })),
  ];
}

function subjectIn(text: string): ReturnType<typeof readSubject> {
  try {
    // A text with duplicate keys must be shown exactly as it came.
    return spelledJson(JSON.parse(text)) === text ? readSubject(text) : undefined;
  } catch {
    return undefined;
  }
}

/** JSON in the form of the arguments of an approval. */
const spelledJson = (value: unknown): string => fullText(jsonBytes(value), Infinity)!;

/** Words that need no quotes. A bare word with `=` in the place of the program would be read as a variable. */
const BARE = /^(?:-[\w@%+=:,./-]*|[\w@%+:,./-]+)$/;

/**
 * Quotes a word for a shell: plain, in single quotes, or in `$'…'` if it contains invisible or misleading characters.
 * Only in `$'…'` is a backslash an escape.
 */
export function unmistakable(word: string): string {
  if (BARE.test(word)) return word;
  const isSeen = !word.includes('\n') && withoutDisguise(spellLookAlikes(word)) === word;
  if (isSeen) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const quoted = word.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`);
  const spelled = spellLookAlikes(quoted).replaceAll('\n', String.raw`\n`);
  return `$'${withoutDisguise(spelled)}'`;
}
