import type { OpenApproval } from '../../core/approvals/approvals.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';
import { renderSpan } from './time.ts';

export interface ApprovalsOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
}

const MIN_ID = 6;

/** A line per question: its id, who asks, for what, and with which arguments. */
export function renderApprovals(approvals: readonly OpenApproval[], options: ApprovalsOptions): string {
  const { style, now, width } = options;
  if (approvals.length === 0) return 'Nothing waits for you.\n';
  const ids = shortIds(approvals.map(({ id }) => id));
  const head = ['ID', 'STATE', 'AGE', 'WHO', 'WHAT', 'ARGUMENTS'].map((title) => style.dim(title));
  const rows = approvals.map((approval, index) => [
    style.bold(ids[index]!),
    stateText(approval, options),
    renderSpan(now - approval.askedAt),
    visible(approval.caller),
    visible(`${approval.server}.${approval.tool}`),
    visible(approval.arguments),
  ]);
  const open = approvals.findIndex(({ state }) => state === 'open');
  const next = open === -1 ? [] : ['', `Next: pincer approvals allow ${ids[open]}, or deny`];
  return `${[...columns([head, ...rows], width), ...next].join('\n')}\n`;
}

/** One question, with all of its arguments. */
export function renderApproval(
  approval: OpenApproval,
  { style, now }: Omit<ApprovalsOptions, 'width'>,
): string {
  const { id, caller, server, tool, askedAt } = approval;
  const age = renderSpan(now - askedAt);
  return [
    `${style.yellow('?')} ${style.bold(visible(`${server}.${tool}`))}  asked by ${visible(caller)} ${age} ago  ${style.dim(id)}`,
    `  ${visible(approval.arguments)}`,
    '',
  ].join('\n');
}

function stateText({ state, expiresAt }: OpenApproval, { style, now }: ApprovalsOptions): string {
  if (state === 'open') return style.yellow('open');
  const left = expiresAt === undefined ? '' : `, ${renderSpan(Math.max(0, expiresAt - now))} left`;
  return `${state}${left}`;
}

/** As much of each id as tells it from the others. */
export function shortIds(ids: readonly string[]): string[] {
  return ids.map((id) => {
    for (let length = MIN_ID; length < id.length; length++) {
      const begin = id.slice(0, length);
      if (ids.filter((other) => other.startsWith(begin)).length === 1) return begin;
    }
    return id;
  });
}
