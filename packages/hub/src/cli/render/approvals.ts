/** Calls that wait for a person. What is approved is seen whole: nothing of it is cut where it is decided. */
import type { OpenApproval } from '../../core/approvals/approvals.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { planLines } from './exec-plan.ts';
import { renderSpan } from './time.ts';
import { wrap } from './wrap.ts';

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
  const next = open === -1 ? [] : [...nextStep(approvals[open]!, ids[open]!, options), ''];
  return [...blocks.flat(), ...next].join('\n');
}

/** One question, whole. */
export const renderApproval = (approval: OpenApproval, options: ApprovalsOptions): string =>
  [titleOf(approval, approval.id, options), ...bodyOf(approval, options), ''].join('\n');

/** What can be said to it, each with what it means. */
export function nextStep(
  approval: OpenApproval,
  id: string,
  { canAlways }: Pick<ApprovalsOptions, 'canAlways'>,
): string[] {
  if (approval.state !== 'open') return [];
  const once = `Next: pincer approvals allow ${id}, or deny`;
  const plan = planLines(approval);
  // What sets variables is never allowed for good.
  if (!canAlways || plan === undefined || plan.some(({ label }) => label === 'sets')) return [once];
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
  const size = visible(approval.arguments).length;
  if (!Number.isFinite(options.width) || size <= MAX_LISTED) return body;
  const rest = `… ${size} characters in all. See them: pincer approvals show ${id}, or --json`;
  return [...body.slice(0, Math.ceil(MAX_LISTED / options.width)), INDENT + options.style.yellow(rest)];
}

function titleOf(approval: OpenApproval, id: string, { style, now }: ApprovalsOptions): string {
  const { server, tool, caller, askedAt, state, expiresAt } = approval;
  const left = expiresAt === undefined ? '' : `, ${renderSpan(Math.max(0, expiresAt - now))} left`;
  const mark = state === 'open' ? style.yellow('?') : style.dim('-');
  const name = style.bold(visible(`${server}.${tool}`));
  const age = renderSpan(now - askedAt);
  return `${mark} ${name}  ${state}${left}, asked by ${visible(caller)} ${age} ago  ${style.bold(id)}`;
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
