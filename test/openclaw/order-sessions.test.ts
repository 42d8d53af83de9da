/** Whose conversation an order belongs to. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { CLIENT_INFO } from '../clients/tool-client.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { startMcpServer, type McpServer } from '../kit/mcp-server.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { gatewayOnly, type Orderer, ordererOf, watchModel } from '../kit/openclaw/order.ts';
import { verifies } from '../verifies.ts';

const address = inject('openclaw');
const host = openHost(address);
const model = watchModel(address);
const { config, env } = gatewayOnly(host.profile);
const WHAT = 'what did I say?';
let hub: TestHub;
let server: McpServer;
const open: AsyncDisposable[] = [];

beforeAll(async () => {
  hub = await startHub({ config, env });
  open.push(hub);
  server = await startMcpServer({ ...env, PINCER_HOME: hub.home });
  open.unshift(server);
});
afterAll(async () => {
  for (const each of open) await each[Symbol.asyncDispose]();
});

async function overHttp(token: string): Promise<Orderer> {
  const client = new Client(CLIENT_INFO);
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.url), { requestInit }));
  open.unshift({ [Symbol.asyncDispose]: () => client.close() });
  return ordererOf(client);
}

test('calls with one key are one conversation, and so they are after a restart', async () => {
  verifies('001-session-continuity', '002-3-same-key', '002-3-persistent');
  const key = 'my colour';
  await server.ask('It is blue.', key);
  expect(await server.ask(WHAT, key)).toBe('SAID((It is blue.))');
  await using restarted = await startMcpServer({ ...env, PINCER_HOME: hub.home });
  expect(await restarted.ask(WHAT, key)).toBe(`SAID((It is blue.)(${WHAT}))`);
});

describe('of two processes, calls with one key', () => {
  test('come one after the other, and each gets its own answer', async () => {
    await using other = await startMcpServer({ ...env, PINCER_HOME: hub.home });
    await using operator = await host.operator();
    const key = crypto.randomUUID();
    const first = server.ask(`hold:${key}`, key);
    await model.whenHeld(key);
    // OpenClaw has put it behind the first.
    const waits = operator.nextEvent(
      'chat',
      ({ state, message }) => state === 'final' && message === undefined,
    );
    const second = other.ask(WHAT, key);
    await waits;
    await model.release(key);
    expect(await Promise.all([first, second])).toEqual([`echo: hold:${key}`, `SAID((hold:${key}))`]);
    expect(await server.ask(WHAT, key)).toBe(`SAID((hold:${key})(${WHAT}))`);
  });

  test('that begin at once are answered, too', async () => {
    const local = await overHttp(hub.token);
    const key = crypto.randomUUID();
    const answers = [server.ask('one', key), local.ask('two', key)];
    expect(await Promise.all(answers)).toEqual(['echo: one', 'echo: two']);
    expect(await server.ask(WHAT, key)).toMatch(/^SAID\(\((one\)\(two|two\)\(one)\)\)$/);
  });
});

test('each call without a key is a conversation of its own', async () => {
  verifies('001-session-isolated', '001-param-session-key-generated', '002-3-unique-key');
  await server.ask('It is a secret.');
  expect(await server.ask(WHAT)).toBe('SAID()');
});

test('a key may be any text, and another text is another conversation', async () => {
  verifies('001-session-key-free-text');
  const keys = [
    'user-123-conversation',
    'client-123-2024-01-15',
    'a key',
    'A Key',
    'a key ',
    '🦞/../..\u0000:"',
    'x'.repeat(10_000),
  ];
  await Promise.all(keys.map((key, index) => server.ask(`It is number ${index}.`, key)));
  const said = await Promise.all(keys.map((key) => server.ask(WHAT, key)));
  expect(said).toEqual(keys.map((_, index) => `SAID((It is number ${index}.))`));
});

describe('of two callers', () => {
  test('whoever has the token of the state folder is the one who starts mcp-server', async () => {
    const local = await overHttp(hub.token);
    await server.ask('It is shared.', 'shared');
    expect(await local.ask(WHAT, 'shared')).toBe('SAID((It is shared.))');
  });

  test('whoever has a token with a name has conversations of their own', async () => {
    verifies('001-session-namespace');
    const { value } = await hub.control('POST', 'tokens', { name: 'guest' });
    const guest = await overHttp((value as { token: string }).token);
    await server.ask('It is mine.', 'same');
    expect(await guest.ask(WHAT, 'same')).toBe('SAID()');
    expect(await server.ask(WHAT, 'same')).toBe('SAID((It is mine.))');
  });
});

test('no key reaches a conversation that is not from here', async () => {
  verifies('002-2-no-originating-channel');
  await using operator = await host.operator();
  const mark = crypto.randomUUID();
  await operator.chat('agent:main:main', `the owner said ${mark}`);
  const keys = ['main', 'agent:main:main', 'AGENT:MAIN:MAIN', 'global', ':main'];
  const said = await Promise.all(keys.map((key) => server.ask(WHAT, key)));
  expect(said).toEqual(keys.map(() => 'SAID()'));
  await operator.chat('agent:main:main', `once more ${mark}`);
  const [asked] = await host.asked(`once more ${mark}`);
  const main = asked?.conversation.map(({ text }) => text).join('\n');
  expect(main).toContain(`the owner said ${mark}`);
  expect(main).not.toContain(WHAT);
});
