import { expect, test } from 'vitest';
import { asker, held, linesOf, manageOf, NOW } from '../../../../../test/kit/ask-manage.ts';
import { toldHub, toldServer, toldServers, type Told } from '../../../../../test/kit/told-hub.ts';
import type { ManageRequest } from '../manage.ts';

test('questions are listed, shown whole and decided', async () => {
  const question = {
    id: '3f2a91c0-1',
    caller: 'openclaw',
    server: 'mail',
    tool: 'send',
    arguments: JSON.stringify({ to: 'a@example.com', text: `${'x'.repeat(700)}\u202e` }),
    askedAt: NOW - 12_000,
    state: 'open',
    expiresAt: NOW + 33_000,
  };
  const hub = toldHub({ 'GET approvals': [question], 'POST approvals': { ...question, state: 'allowed' } });
  const list = linesOf(await asker(hub)('approvals'));
  expect(list.slice(0, 3)).toEqual([
    '1 call waits for your word',
    '  3f2a91  mail.send  open, asked by openclaw 12s ago, 33s left',
    `    {"to":"a@example.com","text":"${'x'.repeat(46)}`,
  ]);
  expect(list.slice(-4)).toEqual([
    '    … 738 characters in all: /mcp approvals show 3f2a91',
    '',
    'Let it run once: /mcp approvals allow 3f2a91',
    'Refuse it: /mcp approvals deny 3f2a91',
  ]);
  expect(linesOf(await asker(hub)('approvals show 3f2a')).at(-1)).toContain(String.raw`\u202e"}`);
  expect(linesOf(await asker(hub)('approvals allow 3f2a91'))).toEqual([
    'mail.send for openclaw may run, once.',
  ]);
  expect(hub.changes).toEqual([['POST approvals', { id: '3f2a91', decision: 'allowed' }]]);
  expect(await asker(hub)('approvals alow 3f2a91')).toContain('"alow" is not something');
  expect(await asker(hub)('approvals allow')).toContain('Which one?');
});

test('what is accepted is what the owner was shown, and nothing that came after', async () => {
  const answers: Told = {
    ...toldServers(toldServer('docs')),
    'GET held?server=docs': [held('search', 'd1')],
    'POST accept': { accepted: ['search'] },
  };
  const hub = toldHub(answers);
  const manage = manageOf(hub);
  const say = async (text: string, who: Partial<ManageRequest> = {}): Promise<string[]> =>
    linesOf(await manage({ text, mayChange: true, by: 'command', ...who }));
  // What somebody else was shown, the owner has not seen.
  await say('accept docs', { mayChange: false });
  const shown = [
    'docs.search has changed',
    '  description',
    '    - Finds.',
    '    + Searches.',
    '',
    'Accept it as it is here: /mcp accept docs.search --yes',
  ];
  expect(await say('accept docs.search --yes')).toEqual(shown);
  answers['GET held?server=docs'] = [held('search', 'd2', 'Sends.')];
  expect((await say('accept docs.search --yes'))[3]).toBe('    + Sends.');
  expect(hub.changes).toEqual([]);
  expect(await say('accept docs --yes')).toEqual(['docs.search is accepted.']);
  expect(hub.changes).toEqual([['POST accept', { server: 'docs', tool: 'search', seen: ['d2'] }]]);
});

test('what is too long to be seen whole cannot be accepted here', async () => {
  const hub = toldHub({
    ...toldServers(toldServer('docs')),
    'GET held?server=docs': [held('long', 'd1', 'y'.repeat(9_000)), held('short', 'd2')],
    'POST accept': { accepted: ['short'] },
  });
  const manage = manageOf(hub);
  const say = async (text: string): Promise<string[]> =>
    linesOf(await manage({ text, mayChange: true, by: 'command' }));
  expect((await say('accept docs')).slice(-2)).toEqual([
    'Accept it as it is here: /mcp accept docs --yes',
    '1 more tool did not fit: /mcp accept docs.long',
  ]);
  expect(await say('accept docs.long')).toEqual([
    'docs.long is too long to be shown here. Look at a terminal: openclaw pincer accept docs.long',
  ]);
  expect((await say('accept docs --yes'))[0]).toBe('docs.short is accepted.');
  expect(hub.changes).toEqual([['POST accept', { server: 'docs', tool: 'short', seen: ['d2'] }]]);
});
