/** Calls that wait for a person. What is approved is seen whole: nothing of it is cut where it is decided. */
import type { OpenApproval } from '../../core/approvals/approvals.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { renderSpan } from './time.ts';
import { wrap } from './wrap.ts';

export interface ApprovalsOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
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
  const blocks = approvals.map((approval, index) => {
    const text = visible(approval.arguments);
    const isLong = Number.isFinite(options.width) && text.length > MAX_LISTED;
    const rest = `… ${text.length} characters in all. See them: pincer approvals show ${ids[index]}, or --json`;
    return [
      titleOf(approval, ids[index]!, options),
      ...indented(isLong ? text.slice(0, MAX_LISTED) : text, options),
      ...(isLong ? [INDENT + options.style.yellow(rest)] : []),
      '',
    ];
  });
  const open = approvals.findIndex(({ state }) => state === 'open');
  const next = open === -1 ? [] : [`Next: pincer approvals allow ${ids[open]}, or deny`, ''];
  return [...blocks.flat(), ...next].join('\n');
}

/** One question, whole. */
export const renderApproval = (approval: OpenApproval, options: ApprovalsOptions): string =>
  [titleOf(approval, approval.id, options), ...indented(visible(approval.arguments), options), ''].join('\n');

function titleOf(approval: OpenApproval, id: string, { style, now }: ApprovalsOptions): string {
  const { server, tool, caller, askedAt, state, expiresAt } = approval;
  const left = expiresAt === undefined ? '' : `, ${renderSpan(Math.max(0, expiresAt - now))} left`;
  const mark = state === 'open' ? style.yellow('?') : style.dim('-');
  const name = style.bold(visible(`${server}.${tool}`));
  const age = renderSpan(now - askedAt);
  return `${mark} ${name}  ${state}${left}, asked by ${visible(caller)} ${age} ago  ${style.bold(id)}`;
}

/** Under the title in every line: no argument can look like a line of ours. */
const indented = (text: string, { width }: ApprovalsOptions): string[] =>
  wrap(text, Math.max(MIN_WIDTH, width - INDENT.length)).map((line) => INDENT + line);

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
