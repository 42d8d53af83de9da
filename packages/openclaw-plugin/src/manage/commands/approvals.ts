import { ask, PincerError, type HubClient, type OpenApproval } from 'pincer/client';
import type { Answer } from '../render/answer.ts';
import { renderApproval, renderApprovalList, renderDecision } from '../render/approval-list.ts';
import type { Subcommand } from '../subcommand.ts';

const DECISIONS: Readonly<Record<string, 'allowed' | 'denied'>> = { allow: 'allowed', deny: 'denied' };

const decisionIn = (word: string | undefined): 'allowed' | 'denied' | undefined =>
  word !== undefined && Object.hasOwn(DECISIONS, word) ? DECISIONS[word] : undefined;

export const approvals: Subcommand = {
  name: 'approvals',
  usage: '[allow|deny|show <id>]',
  summary: 'calls that wait for your word',
  flags: {},
  least: 0,
  most: 2,
  changes: ({ named: [what] }) => decisionIn(what) !== undefined,
  async run({ named: [what, id] }, { hub: open, now, shown }) {
    const isOwner = shown !== undefined;
    const decision = decisionIn(what);
    if (what !== undefined && decision === undefined && what !== 'show') throw notUnderstood(what);
    if (what !== undefined && id === undefined) throw whichOne();
    if (what === 'show' && !isOwner) throw notYours();
    const hub = await open();
    if (what === undefined)
      return {
        ...renderApprovalList(await listed(hub), now(), isOwner),
        more: (left) => `… ${left} more lines: openclaw pincer approvals`,
      };
    return decision === undefined ? show(hub, id!, now()) : decide(hub, id!, decision);
  },
};

const listed = (hub: HubClient): Promise<OpenApproval[]> => ask<OpenApproval[]>(hub, 'GET approvals');

/** Of this id, or the only one that begins so. */
async function show(hub: HubClient, id: string, now: number): Promise<Answer> {
  const found = (await listed(hub)).filter((each) => each.id.startsWith(id));
  const only = found.find((each) => each.id === id) ?? (found.length === 1 ? found[0] : undefined);
  if (only === undefined)
    throw new PincerError(
      'ARGUMENT_INVALID',
      found.length === 0 ? `No question has the id "${id}".` : `Several questions begin with "${id}".`,
      { hint: '/mcp approvals lists them.' },
    );
  return {
    lines: renderApproval(only, now),
    more: (left) => `… ${left} more lines: openclaw pincer approvals show ${only.id}`,
  };
}

async function decide(hub: HubClient, id: string, decision: 'allowed' | 'denied'): Promise<Answer> {
  const decided = await ask<OpenApproval>(hub, 'POST approvals', { body: { id, decision } });
  return { lines: [renderDecision(decided)] };
}

/** What somebody wants to do is that person's business, and the owner's. */
const notYours = (): PincerError =>
  new PincerError('USAGE', 'What a call was to do is shown to the owner only.', {
    hint: 'The owner types: /mcp approvals show <id>',
  });

const whichOne = (): PincerError =>
  new PincerError('USAGE', 'Which one?', { hint: '/mcp approvals lists them with their ids.' });

const notUnderstood = (word: string): PincerError =>
  new PincerError('USAGE', `"${word}" is not something that is done with approvals.`, {
    hint: 'Type: /mcp approvals, or /mcp approvals allow <id>, or /mcp approvals deny <id>',
  });
