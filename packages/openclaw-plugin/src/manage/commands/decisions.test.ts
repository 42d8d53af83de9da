import { expect, test } from 'vitest';
import { asker, held, linesOf, manageOf, NOW } from '../../../../../test/kit/ask-manage.ts';
import { toldHub, toldServer, toldServers, type Told } from '../../../../../test/kit/fake-hub.ts';
import type { ManageRequest } from '../manage.ts';

const question = (text: string, id = '3f2a91c0-1') => ({
  id,
  caller: 'openclaw',
  server: 'mail',
  tool: 'send',
  arguments: JSON.stringify({ to: 'a@example.com', text }),
  askedAt: NOW - 12_000,
  state: 'open',
  expiresAt: NOW + 33_000,
});
const hubOf = (...questions: ReturnType<typeof question>[]) =>
  toldHub({ 'GET approvals': questions, 'POST approvals': { ...questions[0]!, state: 'allowed' } });
const ownerAt = (hub: ReturnType<typeof toldHub>) => {
  const manage = manageOf(hub);
  return async (text: string): Promise<string[]> =>
    linesOf(await manage({ text, mayChange: true, by: 'command' }));
};
const ALLOWED = [['POST approvals', { id: '3f2a91c0-1', decision: 'allowed' }]];

test('lists questions, shows them in full and decides them', async () => {
  const hub = hubOf(question('hello'));
  const say = ownerAt(hub);
  expect(await say('approvals')).toEqual([
    '1 call waits for your approval',
    '  3f2a91  mail.send  open, asked by openclaw 12s ago, 33s left',
    '    {"to":"a@example.com","text":"hello"}',
    '',
    'Allow it once: /mcp approvals allow 3f2a91',
    'Refuse it: /mcp approvals deny 3f2a91',
  ]);
  expect(await say('approvals allow 3f2a91')).toEqual(['mail.send for openclaw may run, once.']);
  expect(hub.changes).toEqual(ALLOWED);
  expect(await asker(hub)('approvals alow 3f2a91')).toContain('Unknown word after approvals: "alow"');
  expect(await asker(hub)('approvals allow')).toContain('The id is missing.');
});

test('shows a question before it can be allowed', async () => {
  const hub = hubOf(question('hello'));
  const say = ownerAt(hub);
  const first = await say('approvals allow 3f2a');
  expect(first[0]).toBe('Not allowed yet. This is the whole call:');
  expect(first).toContain('    {"to":"a@example.com","text":"hello"}');
  expect(hub.changes).toEqual([]);
  expect(await say('approvals allow 3f2a')).toEqual(['mail.send for openclaw may run, once.']);
  expect(hub.changes).toEqual(ALLOWED);
});

test('requires a look at a question that the list cuts', async () => {
  const hub = hubOf(question(`${'x'.repeat(700)}\u202e`));
  const say = ownerAt(hub);
  expect((await say('approvals')).slice(-3)).toEqual([
    '    … 738 characters in total: /mcp approvals show 3f2a91',
    '',
    'Show all of it: /mcp approvals show 3f2a91',
  ]);
  expect((await say('approvals allow 3f2a91'))[0]).toBe('Not allowed yet. This is the whole call:');
  expect(hub.changes).toEqual([]);
  const shown = await say('approvals show 3f2a');
  expect(shown.join('')).toContain(String.raw`\u202e"}`);
  expect(shown.at(-2)).toBe('Allow it once: /mcp approvals allow 3f2a91c0-1');
  await say('approvals allow 3f2a91');
  expect(hub.changes).toEqual(ALLOWED);
});

test('does not allow a question that is too long for a chat', async () => {
  const hub = hubOf(question('x'.repeat(5_000)));
  const say = ownerAt(hub);
  expect((await say('approvals show 3f2a')).at(-1)).toContain('openclaw pincer approvals show 3f2a91c0-1');
  expect((await say('approvals allow 3f2a91')).join()).toContain('too long to show in a chat');
  expect(hub.changes).toEqual([]);
  expect(await say('approvals deny 3f2a91')).toHaveLength(1);
  expect(hub.changes).toEqual([['POST approvals', { id: '3f2a91', decision: 'denied' }]]);
});

test('does not count a list that was cut as shown', async () => {
  const many = Array.from({ length: 20 }, (_, index) =>
    question('y'.repeat(500), `${index}`.padStart(8, 'a')),
  );
  const hub = hubOf(...many);
  const say = ownerAt(hub);
  await say('approvals');
  expect((await say(`approvals allow ${many[0]!.id}`))[0]).toBe('Not allowed yet. This is the whole call:');
  expect(hub.changes).toEqual([]);
});

test('accepts only definitions that the owner has seen', async () => {
  const answers: Told = {
    ...toldServers(toldServer('docs')),
    'GET held?server=docs': [held('search', 'd1')],
    'POST accept': { accepted: ['search'] },
  };
  const hub = toldHub(answers);
  const manage = manageOf(hub);
  const say = async (text: string, who: Partial<ManageRequest> = {}): Promise<string[]> =>
    linesOf(await manage({ text, mayChange: true, by: 'command', ...who }));
  // A definition that another person saw does not count as seen by the owner.
  await say('accept docs', { mayChange: false });
  const shown = [
    'docs.search has changed',
    '  description',
    '    - Finds.',
    '    + Searches.',
    '',
    'Accept this definition: /mcp accept docs.search --yes',
  ];
  expect(await say('accept docs.search --yes')).toEqual(shown);
  answers['GET held?server=docs'] = [held('search', 'd2', 'Sends.')];
  expect((await say('accept docs.search --yes'))[3]).toBe('    + Sends.');
  expect(hub.changes).toEqual([]);
  expect(await say('accept docs --yes')).toEqual(['docs.search is accepted.']);
  expect(hub.changes).toEqual([['POST accept', { server: 'docs', tool: 'search', seen: ['d2'] }]]);
});

test('does not accept a definition that is too long to show', async () => {
  const hub = toldHub({
    ...toldServers(toldServer('docs')),
    'GET held?server=docs': [held('long', 'd1', 'y'.repeat(9_000)), held('short', 'd2')],
    'POST accept': { accepted: ['short'] },
  });
  const manage = manageOf(hub);
  const say = async (text: string): Promise<string[]> =>
    linesOf(await manage({ text, mayChange: true, by: 'command' }));
  expect((await say('accept docs')).slice(-2)).toEqual([
    'Accept this definition: /mcp accept docs --yes',
    '1 more tool did not fit: /mcp accept docs.long',
  ]);
  expect(await say('accept docs.long')).toEqual([
    'docs.long is too long for a chat. Show it at a terminal: openclaw pincer accept docs.long',
  ]);
  expect((await say('accept docs --yes'))[0]).toBe('docs.short is accepted.');
  expect(hub.changes).toEqual([['POST accept', { server: 'docs', tool: 'short', seen: ['d2'] }]]);
});
