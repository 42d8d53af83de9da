/** Each row of "Error Handling" in seed 004, section 10, except sign-in. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFaultProxy, type FaultProxy } from '../kit/fault-proxy.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { INITIALIZE, INITIALIZED, listText, request, structuredOf, textOf } from '../kit/messages.ts';
import { openFaultyServer, type FaultyServer } from '../kit/faulty-server.ts';
import { eventually } from '../kit/processes.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import { serverStatus, whenState } from '../kit/status.ts';
import { startHttpServer } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

const NOT_EXECUTED = { code: -32010, data: { outcome: 'not_executed' } };

let faulty: FaultyServer;
let proxy: FaultProxy;

beforeEach(async () => {
  faulty = await openFaultyServer();
  proxy = await openFaultProxy(faulty.url);
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await faulty[Symbol.asyncDispose]();
});

const start = (settings: object = {}): Promise<TestHub> =>
  startHub({ servers: { web: httpServer(proxy.url, settings), other: stdioServer({ tools: ['echo'] }) } });
const expectOthersWell = async (hub: TestHub): Promise<void> =>
  expect(textOf(await hub.call('other__echo', { message: 'well' }))).toBe('well');
const listed = async (hub: TestHub): Promise<string> => (await hub.post(listText())).body;

interface Try {
  attempts: number;
  nextTryAt?: number;
}

describe('Server unreachable', () => {
  it('Mark server as disconnected. Retry with exponential backoff (1s, 2s, 4s). Surface error to agent after 3 retries.', async () => {
    verifies('004-10-unreachable-state', '004-10-backoff', '004-10-surface-after-3');
    await using hub = await start();
    expect(textOf(await hub.call('web__write'))).toBe('run 1');
    await proxy.set({ kind: 'refuse' });
    const nextTries = new Map<number, number>();
    const look = async (): Promise<void> => {
      const { attempts, nextTryAt } = (await serverStatus(hub, 'web')) as unknown as Try;
      if (nextTryAt !== undefined) nextTries.set(attempts, nextTryAt);
    };
    let isOver = false;
    const surfaced = hub.call('web__write').finally(() => (isOver = true));
    await expectOthersWell(hub);
    await whenState(hub, 'web', 'backoff');
    await eventually(async () => {
      await look();
      return isOver;
    });
    const { error } = await surfaced;
    expect(error).toMatchObject(NOT_EXECUTED);
    expect(error!.message).toContain('ECONNREFUSED');
    await look();
    expect(Math.max(...nextTries.keys())).toBeGreaterThanOrEqual(3);
    // Each delay is shortened by up to a quarter.
    for (const [attempt, next] of nextTries) {
      const before = nextTries.get(attempt - 1);
      if (attempt <= 3 && before !== undefined)
        expect(next - before).toBeGreaterThanOrEqual(700 * 2 ** (attempt - 1));
    }
    expect(await listed(hub)).toContain('web__write');
    await proxy.set({ kind: 'none' });
    expect(await eventually(async () => textOf(await hub.call('web__write')) === 'run 2')).toBe(true);
    await whenState(hub, 'web', 'ready');
  });
});

describe('401 Unauthorized', () => {
  it('surface to user: the server needs a sign-in, and is not retried automatically', async () => {
    faulty.refusal = { status: 401, headers: { 'www-authenticate': 'Bearer scope="all of it"' } };
    await using hub = await start();
    await whenState(hub, 'web', 'needs-sign-in');
    const { error } = await serverStatus(hub, 'web');
    expect(error).toMatchObject({
      code: 'SIGN_IN_NEEDED',
      message: 'Server "web" wants a sign-in (HTTP 401).',
    });
    const before = faulty.seen.length;
    const refused = await hub.call('web__write');
    expect(JSON.stringify(refused.error)).not.toContain('all of it');
    expect(hub.stderr()).not.toContain('all of it');
    expect(faulty.seen.length).toBe(before);
    await expectOthersWell(hub);
  });
});

describe('403 Forbidden', () => {
  it('surface to user: the call did not run, and the hint says what to check', async () => {
    await using hub = await start({ apiKey: 'key-1' });
    faulty.refusals['tools/call'] = [{ status: 403 }];
    const { error } = await hub.call('web__write');
    expect(error).toMatchObject(NOT_EXECUTED);
    expect(error!.message).toContain('HTTP 403');
    expect(error!.data!['hint']).toContain('servers.web.apiKey');
    expect(faulty.runs).toBe(0);
    expect(textOf(await hub.call('web__write'))).toBe('run 1');
  });
});

describe('404 (session expired)', () => {
  it('Discard session. Re-initialize with new InitializeRequest: the call is answered there, and ran once.', async () => {
    verifies('004-4.4-session-404', '004-10-404');
    await using hub = await start();
    expect(textOf(await hub.call('web__write'))).toBe('run 1');
    faulty.forget();
    expect(textOf(await hub.call('web__write'))).toBe('run 2');
    expect(faulty.asked('initialize')).toHaveLength(2);
    expect(faulty.asked('initialize')[1]!.headers).not.toHaveProperty('mcp-session-id');
    expect(faulty.asked('tools/call').map(({ headers }) => headers['mcp-session-id'])).toEqual([
      's1',
      's1',
      's2',
    ]);
    expect(faulty.runs).toBe(2);
  });
});

describe('SSE stream disconnected', () => {
  it('Reconnect with Last-Event-ID. Do NOT interpret as cancellation.', async () => {
    verifies('004-10-sse-reconnect', '004-10-sse-not-cancel');
    await using hub = await start();
    faulty.cut = () => proxy.resetAll();
    expect(textOf(await hub.call('web__write'))).toBe('run 1');
    const resumed = faulty.seen.filter(({ headers }) => headers['last-event-id'] !== undefined);
    expect(resumed.map(({ verb, headers }) => [verb, headers['last-event-id']])).toEqual([['GET', '1']]);
    expect(faulty.asked('tools/call')).toHaveLength(1);
    expect(faulty.asked('notifications/cancelled')).toEqual([]);
  });
});

describe('Malformed JSON-RPC', () => {
  it('Log error, skip message, continue processing stream.', async () => {
    verifies('004-10-malformed');
    await using server = await startHttpServer({});
    await using sliced = await openFaultProxy(server.url);
    await sliced.set({ kind: 'slice', bytes: 5 });
    await using hub = await startHub({ servers: { web: httpServer(sliced.url) } });
    expect(textOf(await hub.call('web__garbage'))).toBe('after the garbage');
    expect(hub.stderr()).toContain('something that is not a message');
  });
});

describe('Tool call timeout', () => {
  it('Cancel after requestTimeoutMs. Send MCP CancelledNotification.', async () => {
    verifies('004-10-timeout', '004-10-timeout-cancelled');
    await using server = await startHttpServer({});
    await using slowed = await openFaultProxy(server.url);
    await slowed.set({ kind: 'latency', ms: 10 });
    await using hub = await startHub({ servers: { web: httpServer(slowed.url, { requestTimeoutMs: 700 }) } });
    const { error } = await hub.call('web__slow', { ms: 600_000 });
    expect(error).toMatchObject({ code: -32011, data: { outcome: 'outcome_unknown', code: 'CALL_TIMEOUT' } });
    const seen = async (): Promise<unknown> => structuredOf(await hub.call('web__cancelled'))['calls'];
    expect(await eventually(async () => ((await seen()) as unknown[]).length === 1)).toBe(true);
    expect(await seen()).toMatchObject([{ tool: 'slow', via: 'notification' }]);
  });
});

describe('Server returns unknown tool', () => {
  it('Remove tool from registry, notify agent.', async () => {
    verifies('004-10-unknown-tool');
    await using hub = await start();
    const agent = hub.stdio();
    await agent.ask(INITIALIZE);
    agent.send(INITIALIZED);
    expect(await listed(hub)).toContain('web__write');
    faulty.tools = ['read'];
    const refused = await agent.ask(request('tools/call', '{"name":"web__write","arguments":{}}', '"call"'));
    expect(refused).toContain('Unknown tool: write');
    expect(await agent.take((line) => line.includes('list_changed'))).toContain(
      'notifications/tools/list_changed',
    );
    expect(await eventually(async () => !(await listed(hub)).includes('web__write'))).toBe(true);
    expect(await listed(hub)).toContain('web__read');
  });
});
