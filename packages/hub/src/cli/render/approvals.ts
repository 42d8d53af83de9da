/** Calls that wait for a person. What is approved is seen whole: nothing of it is cut where it is decided. */
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
  /** The exec policy that is in force can be added to. */
  readonly canAlways: boolean;
}

const MIN_ID = 6;
const MIN_WIDTH = 20;
const INDENT = '  ';
/** In a list on a terminal, so that one question does not hide the others; how long it is, is said. */
const MAX_LISTED = 2_000;

/** Whether the list on a terminal shows all of it. */
export const isListedInFull = ({ arguments: shown }: OpenApproval): boolean =>
  visible(shown).length <= MAX_LISTED;

/** A block per question: for what, who asks, its id, and below that the arguments. */
export function renderApprovals(approvals: readonly OpenApproval[], options: ApprovalsOptions): string {
  if (approvals.length === 0) return 'Nothing waits for you.\n';
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

/** One question, whole. */
export const renderApproval = (approval: OpenApproval, options: ApprovalsOptions): string =>
  [titleOf(approval, approval.id, options), ...bodyOf(approval, options), ''].join('\n');

/** What the list does not show whole is looked at first. */
const nextOf = (approval: OpenApproval, id: string, options: ApprovalsOptions): string[] =>
  isListedInFull(approval) || !Number.isFinite(options.width)
    ? nextStep(approval, id, options)
    : [`Next: pincer approvals show ${id}`];

/** What can be said to it, each with what it means. */
export function nextStep(
  approval: OpenApproval,
  id: string,
  { canAlways }: Pick<ApprovalsOptions, 'canAlways'>,
): string[] {
  if (approval.state !== 'open') return [];
  const once = `Next: pincer approvals allow ${id}, or deny`;
  const plan = planLines(approval);
  // What sets variables is never allowed for good, nor is what loads code from elsewhere.
  const isOnlyOnce = plan?.some(({ label }) => label === 'sets' || label === ONLY_ONCE);
  if (!canAlways || plan === undefined || isOnlyOnce === true) return [once];
  return [
    once,
    `  or: pincer approvals allow ${id} --always, for the same program, arguments, folder and files from now on`,
  ];
}

/** Under the title in every line: no argument can look like a line of ours. */
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
  const rest = `… ${visible(approval.arguments).length} characters in all. See them: pincer approvals show ${id}, or --json`;
  return [...body.slice(0, Math.ceil(MAX_LISTED / options.width)), INDENT + options.style.yellow(rest)];
}

function titleOf(approval: OpenApproval, id: string, { style, now }: ApprovalsOptions): string {
  const { server, tool, caller, askedAt, state, expiresAt } = approval;
  const left = expiresAt === undefined ? '' : `, ${renderSpan(Math.max(0, expiresAt - now))} left`;
  const mark = state === 'open' ? style.yellow('?') : style.dim('-');
  const name = style.bold(spellName(`${server}.${tool}`));
  const age = renderSpan(now - askedAt);
  return `${mark} ${name}  ${state}${left}, asked by ${spellName(caller)} ${age} ago  ${style.bold(id)}`;
}

/** As much of each id as tells it from the others. */
export function shortIds(ids: readonly string[]): string[] {
  const sorted = ids.toSorted();
  // Nobody is nearer to an id than those beside it.
  const lengths = new Map(
    sorted.map((id, index) => [
      id,
      Math.max(MIN_ID, sharedWith(id, sorted[index - 1]) + 1, sharedWith(id, sorted[index + 1]) + 1),
    ]),
  );
  return ids.map((id) => id.slice(0, lengths.get(id)));
}

/** Characters that both begin with. */
function sharedWith(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length++;
  return length;
}

/** All of a text in lines of this width, cut anywhere; no character of it is lost or added. */
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

/** From Hangul on there are letters and pictures that take two columns. Rather a short line than one that a terminal wraps. */
const roomOf = (char: string): number => (char.codePointAt(0)! < 0x11_00 ? 1 : 2);

/** A label of ours, and a text that somebody else may have chosen. */
interface PlanLine {
  readonly label: string;
  readonly text: string;
}

/**
 * What a program would do that waits for a person: each part on a line of its own, and no part left out. The label
 * of the reason why it cannot be allowed for good.
 */
const ONLY_ONCE = 'only once';

/** Undefined: it is about something else, or has more in it than these lines would show. */
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
    // What a plan may have one day and nobody has thought of here.
    ...Object.entries(others).map(([label, value]) => ({ label, text: spelledJson(value) })),
  ];
}

function subjectIn(text: string): ReturnType<typeof readSubject> {
  try {
    // A member that stands there twice is for a person to see as it came.
    return spelledJson(JSON.parse(text)) === text ? readSubject(text) : undefined;
  } catch {
    return undefined;
  }
}

/** As questions are written. */
const spelledJson = (value: unknown): string => fullText(jsonBytes(value), Infinity)!;

/** What nobody reads otherwise than it is. An equals sign would make a variable of a program's name. */
const BARE = /^(?:-[\w@%+=:,./-]*|[\w@%+:,./-]+)$/;

/**
 * As a shell takes it: plain, in single quotes, or in `$'…'` where there is something that cannot be seen. In the latter
 * alone a backslash spells something.
 */
export function unmistakable(word: string): string {
  if (BARE.test(word)) return word;
  const isSeen = !word.includes('\n') && withoutDisguise(spellLookAlikes(word)) === word;
  if (isSeen) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const quoted = word.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`);
  const spelled = spellLookAlikes(quoted).replaceAll('\n', String.raw`\n`);
  return `$'${withoutDisguise(spelled)}'`;
}
