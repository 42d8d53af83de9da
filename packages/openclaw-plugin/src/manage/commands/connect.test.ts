import { PincerError } from 'pincer/client';
import { expect, test } from 'vitest';
import { asker, linesOf } from '../../../../../test/kit/ask-manage.ts';
import { toldHub, toldServer, toldServers } from '../../../../../test/kit/fake-hub.ts';
import { serverName } from './connect.ts';
import { verifies } from '../../../../../test/verifies.ts';

test('names a server after its URL, or as given', async () => {
  verifies('004-8.1-connect-name');
  const hub = toldHub({ ...toldServers(toldServer('docs')), 'POST servers': [] });
  await asker(hub)('connect https://mcp.tavily.com/mcp');
  await asker(hub)('connect —name search <https://mcp.tavily.com/mcp>');
  const config = { url: 'https://mcp.tavily.com/mcp' };
  expect(hub.changes).toEqual([
    ['POST servers', { name: 'tavily', config }],
    ['POST servers', { name: 'search', config }],
  ]);
});

test('reconnects a server that is already configured', async () => {
  verifies('004-8.1-refresh', '004-8.1-refresh-all');
  const offer = { name: 'docs', isKnown: true, tools: ['a', 'b'], prompts: [], resources: [], templates: [] };
  const hub = toldHub({
    ...toldServers(toldServer('docs')),
    'GET offer': offer,
    'POST probe': { ...offer, tools: ['b', 'c'], ms: 3 },
  });
  for (const text of ['connect docs', 'connect https://mcp.docs.com/mcp', 'refresh docs', 'refresh'])
    expect(linesOf(await asker(hub)(text))).toEqual(['docs: 2 tools', '  new: c', '  removed: a']);
  expect(hub.changes).toEqual(Array.from({ length: 4 }, () => ['POST probe', { name: 'docs' }]));
});

test('refreshes all enabled servers without a name', async () => {
  verifies('004-8.1-refresh-all');
  const offer = { isKnown: true, tools: ['a'], prompts: [], resources: [], templates: [] };
  const hub = toldHub({
    ...toldServers(toldServer('docs'), toldServer('mail'), toldServer('off', { state: 'disabled' })),
    'GET offer': { ...offer, name: 'any' },
    'POST probe': { ...offer, name: 'any', ms: 3 },
  });
  expect(linesOf(await asker(hub)('refresh'))).toEqual(['docs: 1 tool', 'mail: 1 tool']);
  expect(hub.changes).toEqual(['docs', 'mail'].map((name) => ['POST probe', { name }]));
});

test('starts no program from a chat, and guesses no URL', async () => {
  const hub = toldHub(toldServers());
  expect(await asker(hub)('connect --name x -- npx -y server')).toContain('openclaw pincer add NAME --');
  expect(await asker(hub)('connect example.com/mcp')).toContain('begins with https://');
  expect(await asker(hub)('connect file:///etc/passwd')).toContain('begins with https://');
  expect(hub.changes).toEqual([]);
});

test('does not save a server that cannot be reached, and says so', async () => {
  const failure = new PincerError('SERVER_UNREACHABLE', 'It cannot be reached.');
  const hub = toldHub({ ...toldServers(), 'POST servers': failure });
  expect(linesOf(await asker(hub)('connect https://example.com/mcp'))).toEqual([
    'It cannot be reached. Nothing was saved.',
    'Correct the URL, then connect again.',
  ]);
});

test('saves a server that needs a sign-in, and returns the link at once', async () => {
  verifies('004-8.1-connect');
  const failure = new PincerError('SIGN_IN_NEEDED', 'It wants you to sign in.', { data: { isKept: true } });
  const hub = toldHub({
    ...toldServers(),
    'POST servers': failure,
    'POST sign-in': { link: 'https://auth.example/authorize', state: 's' },
  });
  const text = await asker(hub)('connect https://mcp.github.com/mcp');
  expect(linesOf(text)[0]).toBe('github is saved in the configuration of Pincer.');
  expect(text.split('\n').at(-1)).toBe('https://auth.example/authorize');
});

test('disconnects a server by its name', async () => {
  const hub = toldHub({ ...toldServers(toldServer('docs')), 'POST disconnect': {} });
  expect(await asker(hub)('disconnect docs')).toContain('/mcp refresh docs');
  expect(hub.changes).toEqual([['POST disconnect', { name: 'docs' }]]);
});

const named = (url: string, ...taken: string[]): string => serverName(new URL(url), taken);

test.each([
  ['https://mcp.tavily.com/mcp', 'tavily'],
  ['https://mcp.github.com/mcp', 'github'],
  ['https://api.githubcopilot.com/mcp/', 'githubcopilot'],
  ['https://tools.example.co.uk/mcp', 'example'],
  ['https://docs.mcp.cloudflare.com/mcp', 'cloudflare'],
  ['https://mcp.io/mcp', 'mcp'],
  ['http://127.0.0.1:3001/mcp', 'local-3001'],
  ['http://localhost/mcp', 'local'],
  ['http://[::1]:80/mcp', 'local'],
  ['https://intranet/mcp', 'intranet'],
  ['https://bücher.example/mcp', 'xn--bcher-kva'],
])('names %s %s', (url, name) => {
  verifies('004-8.1-connect-name');
  expect(named(url)).toBe(name);
});

test('adds a number to a name that is taken or reserved', () => {
  expect(named('https://mcp.tavily.com', 'Tavily')).toBe('tavily-2');
  expect(named('https://mcp.tavily.com', 'tavily', 'tavily-2')).toBe('tavily-3');
  expect(named('https://agent.com')).toBe('agent-2');
});

test('cuts a long name, with its number', () => {
  const long = 'a'.repeat(40);
  expect(named(`https://${long}.com`)).toBe('a'.repeat(30));
  expect(named(`https://${long}.com`, 'a'.repeat(30))).toBe(`${'a'.repeat(28)}-2`);
});
