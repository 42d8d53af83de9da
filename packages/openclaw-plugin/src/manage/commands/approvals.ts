import { ask, PincerError, spellName, visible, type HubClient, type OpenApproval } from 'pincer/client';
import { fits, plural, renderSpan, wrap, type Answer } from '../render.ts';
import type { ShownQuestions, Subcommand } from '../subcommand.ts';

const DECISIONS: Readonly<Record<string, 'allowed' | 'denied'>> = { allow: 'allowed', deny: 'denied' };

const decisionIn = (word: string | undefined): 'allowed' | 'denied' | undefined =>
  word !== undefined && Object.hasOwn(DECISIONS, word) ? DECISIONS[word] : undefined;

export const approvals: Subcommand = {
  name: 'approvals',
  usage: '[allow|deny|show <id>]',
  summary: 'calls that wait for your approval',
  flags: {},
  least: 0,
  most: 2,
  changes: ({ named: [what] }) => decisionIn(what) !== undefined,
  async run({ named: [what, id] }, { hub: open, now, shownQuestions: shown }) {
    const decision = decisionIn(what);
    if (what !== undefined && decision === undefined && what !== 'show') throw notUnderstood(what);
    if (what !== undefined && id === undefined) throw whichOne();
    if (what === 'show' && shown === undefined) throw notYours();
    const hub = await open();
    if (what === undefined) return list(await listed(hub), now(), shown);
    if (shown === undefined) throw notYours();
    if (decision === 'denied') return decide(hub, id!, decision);
    const found = (await listed(hub)).filter((each) => each.id.startsWith(id!));
    const only = found.find((each) => each.id === id) ?? (found.length === 1 ? found[0] : undefined);
    if (decision === undefined) return show(only ?? unknown(id!, found.length), now(), shown);
    // If the id has no open question, the hub reports that.
    if (only?.state !== 'open' || shown.has(only.id)) return decide(hub, only?.id ?? id!, decision);
    return showFirst(only, now(), shown);
  },
};

const listed = (hub: HubClient): Promise<readonly OpenApproval[]> => ask(hub, 'GET approvals');

function list(approvals: readonly OpenApproval[], now: number, shown: ShownQuestions | undefined): Answer {
  const { whole, ...answer } = renderApprovalList(approvals, now, shown !== undefined);
  const isWhole = fits([...answer.lines, ...(answer.last ?? [])]);
  if (isWhole) for (const id of whole) shown?.remember(id);
  return { ...answer, more: (left) => `… ${left} more lines: openclaw pincer approvals` };
}

/** A call that was shown in full can be allowed in the chat from then on. */
function show(approval: OpenApproval, now: number, shown: ShownQuestions): Answer {
  const { id, state } = approval;
  const lines = renderApproval(approval, now);
  if (!fits(lines)) return { lines, more: (left) => `… ${left} more lines. ${atTerminal(id)}` };
  shown.remember(id);
  return { lines, last: state === 'open' ? nextSteps(id) : [] };
}

function showFirst(approval: OpenApproval, now: number, shown: ShownQuestions): Answer {
  const answer = show(approval, now, shown);
  if (!shown.has(approval.id))
    throw new PincerError('USAGE', 'This call is too long to show in a chat, so it cannot be allowed here.', {
      hint: atTerminal(approval.id),
    });
  return { ...answer, lines: ['Not allowed yet. This is the whole call:', ...answer.lines] };
}

const atTerminal = (id: string): string =>
  `Show it at a terminal, and decide there: openclaw pincer approvals show ${id}`;

function unknown(id: string, count: number): never {
  throw new PincerError(
    'ARGUMENT_INVALID',
    count === 0 ? `No question has the id "${id}".` : `Several questions begin with "${id}".`,
    { hint: 'List them: /mcp approvals' },
  );
}

async function decide(hub: HubClient, id: string, decision: 'allowed' | 'denied'): Promise<Answer> {
  const decided = await ask(hub, 'POST approvals', { body: { id, decision } });
  return { lines: [renderDecision(decided)] };
}

/** The content of a call is private to its caller and the owner. */
const notYours = (): PincerError =>
  new PincerError('USAGE', 'Only the owner may see the content of a call.', {
    hint: 'The owner types: /mcp approvals show <id>',
  });

const whichOne = (): PincerError =>
  new PincerError('USAGE', 'The id is missing.', { hint: 'List the ids: /mcp approvals' });

const notUnderstood = (word: string): PincerError =>
  new PincerError('USAGE', `Unknown word after approvals: "${word}".`, {
    hint: 'Type: /mcp approvals, or /mcp approvals allow <id>, or /mcp approvals deny <id>',
  });

const MIN_ID = 6;
const WIDTH = 76;
const INDENT = '    ';
/** Per call in a list, so that one call does not hide the others. */
const MAX_LISTED = 600;

interface ApprovalList extends Answer {
  /** Ids of the questions that the list shows in full. */
  readonly whole: readonly string[];
}

/** Shows the content of calls only if `isOwner`. */
function renderApprovalList(approvals: readonly OpenApproval[], now: number, isOwner: boolean): ApprovalList {
  if (approvals.length === 0) return { lines: ['Nothing waits for you.'], whole: [] };
  const ids = shortIds(approvals.map(({ id }) => id));
  const blocks = approvals.flatMap((approval, index) => {
    if (!isOwner) return [titleOf(withoutSubject(approval), ids[index]!, now)];
    const text = visible(approval.arguments);
    const rest = `${INDENT}… ${text.length} characters in total: /mcp approvals show ${ids[index]}`;
    return [
      titleOf(approval, ids[index]!, now),
      ...indented(text.slice(0, MAX_LISTED)),
      ...(isWhole(approval) ? [] : [rest]),
    ];
  });
  const open = approvals.filter(({ state }) => state === 'open');
  const title = `${plural(open.length, 'call')} ${open.length === 1 ? 'waits' : 'wait'} for your approval`;
  const first = approvals.findIndex(({ state }) => state === 'open');
  const next = isOwner && first !== -1 && !isWhole(approvals[first]!) ? lookFirst : nextSteps;
  return {
    lines: [title, ...blocks],
    last: first === -1 ? [] : next(ids[first]!),
    whole: isOwner ? open.filter(isWhole).map(({ id }) => id) : [],
  };
}

const isWhole = ({ arguments: text }: OpenApproval): boolean => visible(text).length <= MAX_LISTED;

/** Removes the subject of a call, which only the owner may see. */
const withoutSubject = (approval: OpenApproval): OpenApproval => ({
  ...approval,
  tool: approval.tool.split(' ', 1)[0]!,
});

const nextSteps = (id: string): string[] => [
  '',
  `Allow it once: /mcp approvals allow ${id}`,
  `Refuse it: /mcp approvals deny ${id}`,
];

const lookFirst = (id: string): string[] => ['', `Show all of it: /mcp approvals show ${id}`];

/** One question in full. */
const renderApproval = (approval: OpenApproval, now: number): string[] => [
  titleOf(approval, approval.id, now),
  ...indented(visible(approval.arguments)),
];

const renderDecision = ({ server, tool, caller, state }: OpenApproval): string => {
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

/** The shortest unique prefix of each id. */
function shortIds(ids: readonly string[]): string[] {
  return ids.map((id) => {
    for (let length = MIN_ID; length < id.length; length++) {
      const begin = id.slice(0, length);
      if (ids.filter((other) => other.startsWith(begin)).length === 1) return begin;
    }
    return id;
  });
}
