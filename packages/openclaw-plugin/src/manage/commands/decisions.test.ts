import { expect, test } from 'vitest';
import { asker, held, linesOf, manageOf, NOW } from '../../../../../test/kit/ask-manage.ts';
import { toldHub, toldServer, toldServers, type Told } from '../../../../../test/kit/told-hub.ts';
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

test('questions are listed, shown whole and decided', async () => {
  const hub = hubOf(question('hello'));
  const say = ownerAt(hub);
  expect(await say('approvals')).toEqual([
    '1 call waits for your word',
    '  3f2a91  mail.send  open, asked by openclaw 12s ago, 33s left',
    '    {"to":"a@example.com","text":"hello"}',
    '',
    'Let it run once: /mcp approvals allow 3f2a91',
    'Refuse it: /mcp approvals deny 3f2a91',
  ]);
  expect(await say('approvals allow 3f2a91')).toEqual(['mail.send for openclaw may run, once.']);
  expect(hub.changes).toEqual(ALLOWED);
  expect(await asker(hub)('approvals alow 3f2a91')).toContain('"alow" is not something');
  expect(await asker(hub)('approvals allow')).toContain('Which one?');
});

test('a question that nobody was shown is shown before it can be allowed', async () => {
  const hub = hubOf(question('hello'));
  const say = ownerAt(hub);
  const first = await say('approvals allow 3f2a');
  expect(first[0]).toBe('Nothing is allowed yet. This is the whole call:');
  expect(first).toContain('    {"to":"a@example.com","text":"hello"}');
  expect(hub.changes).toEqual([]);
  expect(await say('approvals allow 3f2a')).toEqual(['mail.send for openclaw may run, once.']);
  expect(hub.changes).toEqual(ALLOWED);
});

test('a question that the list does not show whole has to be looked at first', async () => {
  const hub = hubOf(question(`${'x'.repeat(700)}\u202e`));
  const say = ownerAt(hub);
  expect((await say('approvals')).slice(-3)).toEqual([
    '    … 738 characters in all: /mcp approvals show 3f2a91',
    '',
    'Look at all of it: /mcp approvals show 3f2a91',
  ]);
  expect((await say('approvals allow 3f2a91'))[0]).toBe('Nothing is allowed yet. This is the whole call:');
  expect(hub.changes).toEqual([]);
  const shown = await say('approvals show 3f2a');
  expect(shown.join('')).toContain(String.raw`\u202e"}`);
  expect(shown.at(-2)).toBe('Let it run once: /mcp approvals allow 3f2a91c0-1');
  await say('approvals allow 3f2a91');
  expect(hub.changes).toEqual(ALLOWED);
});

test('a question that is too long for a chat cannot be allowed there', async () => {
  const hub = hubOf(question('x'.repeat(5_000)));
  const say = ownerAt(hub);
  expect((await say('approvals show 3f2a')).at(-1)).toContain('openclaw pincer approvals show 3f2a91c0-1');
  expect((await say('approvals allow 3f2a91')).join()).toContain('too long to be shown here');
  expect(hub.changes).toEqual([]);
  expect(await say('approvals deny 3f2a91')).toHaveLength(1);
  expect(hub.changes).toEqual([['POST approvals', { id: '3f2a91', decision: 'denied' }]]);
});

test('a list that does not fit has shown nothing', async () => {
  const many = Array.from({ length: 20 }, (_, index) =>
    question('y'.repeat(500), `${index}`.padStart(8, 'a')),
  );
  const hub = hubOf(...many);
  const say = ownerAt(hub);
  await say('approvals');
  expect((await say(`approvals allow ${many[0]!.id}`))[0]).toBe(
    'Nothing is allowed yet. This is the whole call:',
  );
  expect(hub.changes).toEqual([]);
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
