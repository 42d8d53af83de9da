/** Calls that wait for a person. Nothing in them can look like a line of ours. */
import { spellName, visible, type OpenApproval } from 'pincer/client';
import type { Answer } from './answer.ts';
import { plural } from './plural.ts';
import { renderSpan } from './span.ts';
import { wrap } from './wrap.ts';

const MIN_ID = 6;
const WIDTH = 76;
const INDENT = '    ';
/** In a list, so that one question does not hide the others. */
const MAX_LISTED = 600;

export interface ApprovalList extends Answer {
  /** Ids of the questions that are in it in full. */
  readonly whole: readonly string[];
}

/** `isOwner`: what a call is to do is shown, too. */
export function renderApprovalList(
  approvals: readonly OpenApproval[],
  now: number,
  isOwner: boolean,
): ApprovalList {
  if (approvals.length === 0) return { lines: ['Nothing waits for you.'], whole: [] };
  const ids = shortIds(approvals.map(({ id }) => id));
  const blocks = approvals.flatMap((approval, index) => {
    if (!isOwner) return [titleOf(withoutSubject(approval), ids[index]!, now)];
    const text = visible(approval.arguments);
    const rest = `${INDENT}… ${text.length} characters in all: /mcp approvals show ${ids[index]}`;
    return [
      titleOf(approval, ids[index]!, now),
      ...indented(text.slice(0, MAX_LISTED)),
      ...(isWhole(approval) ? [] : [rest]),
    ];
  });
  const open = approvals.filter(({ state }) => state === 'open');
  const title = `${plural(open.length, 'call')} ${open.length === 1 ? 'waits' : 'wait'} for your word`;
  const first = approvals.findIndex(({ state }) => state === 'open');
  const next = isOwner && first !== -1 && !isWhole(approvals[first]!) ? lookFirst : nextSteps;
  return {
    lines: [title, ...blocks],
    last: first === -1 ? [] : next(ids[first]!),
    whole: isOwner ? open.filter(isWhole).map(({ id }) => id) : [],
  };
}

const isWhole = ({ arguments: text }: OpenApproval): boolean => visible(text).length <= MAX_LISTED;

/** What a call is about besides its tool is the owner's to see. */
const withoutSubject = (approval: OpenApproval): OpenApproval => ({
  ...approval,
  tool: approval.tool.split(' ', 1)[0]!,
});

export const nextSteps = (id: string): string[] => [
  '',
  `Let it run once: /mcp approvals allow ${id}`,
  `Refuse it: /mcp approvals deny ${id}`,
];

const lookFirst = (id: string): string[] => ['', `Look at all of it: /mcp approvals show ${id}`];

/** One question, whole. */
export const renderApproval = (approval: OpenApproval, now: number): string[] => [
  titleOf(approval, approval.id, now),
  ...indented(visible(approval.arguments)),
];

export const renderDecision = ({ server, tool, caller, state }: OpenApproval): string => {
  const what = visible(`${server}.${tool} for ${caller}`);
  return state === 'allowed' ? `${what} may run, once.` : `${what} is refused.`;
};

function titleOf(approval: OpenApproval, id: string, now: number): string {
  const { server, tool, caller, askedAt, state, expiresAt } = approval;
  const left = expiresAt === undefined ? '' : `, ${renderSpan(Math.max(0, expiresAt - now))} left`;
  const asked = `asked by ${caller} ${renderSpan(now - askedAt)} ago`;
  return spellName(`  ${id}  ${server}.${tool}  ${state}, ${asked}${left}`);
}

const indented = (text: string): string[] => wrap(text, WIDTH).map((line) => INDENT + line);

/** As much of each id as tells it from the others. */
function shortIds(ids: readonly string[]): string[] {
  return ids.map((id) => {
    for (let length = MIN_ID; length < id.length; length++) {
      const begin = id.slice(0, length);
      if (ids.filter((other) => other.startsWith(begin)).length === 1) return begin;
    }
    return id;
  });
}
