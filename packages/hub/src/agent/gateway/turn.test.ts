import { describe, expect, it } from 'vitest';
import {
  openHandGateway,
  type HandGateway,
  type HandRequest,
} from '../../../../../test/kit/openclaw/fake-gateway.ts';
import { eventually } from '../../../../../test/kit/processes.ts';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { openIdentity } from '../../owner/device-identity.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { runTurn } from './turn.ts';

const res = (id: string, payload: object): string => JSON.stringify({ type: 'res', id, ok: true, payload });
const event = (name: string, payload: object): string =>
  JSON.stringify({ type: 'event', event: name, payload });

const hello = (bootId = 'boot', policy = {}) => ({
  server: { version: 'x', bootId },
  auth: { scopes: [], deviceToken: 'of the device' },
  policy: { maxPayload: 60_000, tickIntervalMs: 30_000, ...policy },
});

const runIn = ({ params }: HandRequest): string => (params as { idempotencyKey: string }).idempotencyKey;
const final = (runId: string, text: string): string =>
  event('chat', {
    runId,
    sessionKey: 'agent:main:k',
    seq: 1,
    state: 'final',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  });

interface Scene extends AsyncDisposable {
  readonly hand: HandGateway;
  readonly gateway: Gateway;
  readonly home: string;
  methods(): string[];
}

async function scene(
  answer: (request: HandRequest) => readonly string[],
  { boot = (): string => 'boot', policy = {}, idleMs = 60_000, awayMs = 10_000 } = {},
): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(temporaryFolder('gateway')).path;
  const hand = stack.use(await openHandGateway((id) => [res(id, hello(boot(), policy))], answer));
  const find = () => ({ url: hand.url, credential: { token: 't' }, how: 'a test' });
  const gateway = createGateway({ find, identity: () => openIdentity(home), idleMs, awayMs });
  stack.defer(() => gateway.close());
  const all = stack.move();
  return {
    hand,
    gateway,
    home,
    methods: () => hand.requests.map(({ method }) => method),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The history entry of the first run. */
const row = ({ hand }: Scene): object => ({
  role: 'assistant',
  __openclaw: { id: 'm1', runId: runIn(hand.requests.find(({ method }) => method === 'chat.send')!) },
});

const order = (message = 'hello', more = {}) => ({ message, sessionKey: 'k', ...more });

describe('turn', () => {
  it('shares one connection with all others, which is closed when unused', async () => {
    await using at = await scene(
      (request) => [res(request.id, { status: 'started' }), final(runIn(request), 'done')],
      { idleMs: 50 },
    );
    const ends = await Promise.all(
      ['a', 'b', 'c'].map((sessionKey) => runTurn(at.gateway, { message: 'x', sessionKey })),
    );
    for (const end of ends)
      expect(end).toMatchObject({ kind: 'final', text: 'done', sessionKey: 'agent:main:k' });
    expect(at.methods().filter((method) => method === 'connect')).toHaveLength(1);
    expect(await eventually(() => at.hand.connections.size === 0)).toBe(true);
    expect(await runTurn(at.gateway, order())).toMatchObject({ kind: 'final' });
  });

  it('keeps the device token of the gateway', async () => {
    await using at = await scene(() => []);
    await at.gateway.connect();
    expect(openIdentity(at.home).tokenFor(at.hand.url)).toBe('of the device');
  });

  it('continues after a lost connection, and is not sent twice', async () => {
    let runId = '';
    await using at = await scene((request) => {
      if (request.method === 'agent.wait')
        return [res(request.id, { status: 'ok', terminalReply: { text: 'meanwhile' } })];
      runId = runIn(request);
      return [res(request.id, { status: 'started' })];
    });
    const turn = runTurn(at.gateway, order());
    expect(await eventually(() => runId !== '')).toBe(true);
    for (const connection of at.hand.connections) connection.destroy();
    expect(await turn).toMatchObject({ kind: 'final', text: 'meanwhile', runId });
    expect(at.methods()).toEqual(['connect', 'chat.send', 'connect', 'agent.wait']);
  });

  it('fetches the whole text of a truncated answer', async () => {
    const long = 'y'.repeat(5_000);
    let isStarted = false;
    await using at = await scene(({ id, method, params }) => {
      isStarted = true;
      const { runId } = params as { runId: string };
      if (method === 'agent.wait')
        return [res(id, { status: 'ok', terminalReply: { text: long.slice(0, 4_096) } })];
      if (method === 'chat.history') return [res(id, { messages: [row(at), { role: 'user' }] })];
      if (method === 'chat.message.get') return [res(id, { message: { role: 'assistant', content: long } })];
      return [res(id, { status: 'started', runId })];
    });
    const turn = runTurn(at.gateway, order());
    expect(await eventually(() => isStarted)).toBe(true);
    for (const connection of at.hand.connections) connection.destroy();
    expect(await turn).toMatchObject({ kind: 'final', text: long, wasAway: true });
    expect(at.hand.requests.at(-1)?.params).toMatchObject({ messageId: 'm1' });
  });

  it('is sent again with the same run id if it was not confirmed', async () => {
    let times = 0;
    await using at = await scene((request) =>
      ++times === 1 ? [] : [res(request.id, { status: 'started' }), final(runIn(request), 'done')],
    );
    const turn = runTurn(at.gateway, order());
    expect(await eventually(() => times === 1)).toBe(true);
    for (const connection of at.hand.connections) connection.destroy();
    expect(await turn).toMatchObject({ kind: 'final' });
    const sent = at.hand.requests.filter(({ method }) => method === 'chat.send').map(runIn);
    expect(sent).toHaveLength(2);
    expect(new Set(sent).size).toBe(1);
  });

  it('fails if the gateway restarts, and the next turn waits until the conversation is free', async () => {
    let boot = 0;
    let isStarted = false;
    await using at = await scene(
      (request) => {
        isStarted = true;
        const started = res(request.id, { status: 'started' });
        return boot === 1 ? [started] : [started, final(runIn(request), 'done')];
      },
      { boot: () => `boot ${++boot}` },
    );
    const turn = runTurn(at.gateway, order());
    const failed = expect(turn).rejects.toMatchObject({
      code: 'SERVER_GONE',
      hint: expect.stringContaining('same sessionKey'),
    });
    expect(await eventually(() => isStarted)).toBe(true);
    for (const connection of at.hand.connections) connection.destroy();
    await failed;
    expect(await runTurn(at.gateway, order())).toMatchObject({ kind: 'final' });
    expect(at.hand.requests.at(-1)?.params).toHaveProperty('queueMode', 'followup');
  });

  it('is stopped in the gateway when it is cancelled', async () => {
    let runId = '';
    await using at = await scene((request) => {
      if (request.method === 'chat.send') {
        runId = runIn(request);
        return [res(request.id, { status: 'started' })];
      }
      const stopped = { runId, sessionKey: 'agent:main:k', seq: 1, state: 'aborted', stopReason: 'rpc' };
      return [res(request.id, { ok: true, aborted: true }), event('chat', stopped)];
    });
    const caller = new AbortController();
    const turn = runTurn(at.gateway, order('hello', { signal: caller.signal }));
    const waiting = runTurn(at.gateway, order('second', { signal: caller.signal }));
    expect(await eventually(() => runId !== '')).toBe(true);
    caller.abort();
    expect(await turn).toMatchObject({ kind: 'aborted', runId });
    expect(await waiting).toMatchObject({ kind: 'aborted', runId: '' });
    expect(at.methods()).toEqual(['connect', 'chat.send', 'chat.abort']);
    expect(at.hand.requests.at(-1)?.params).toEqual({ sessionKey: 'k', runId });
  });

  it('is refused if it is too large, before it closes the shared connection', async () => {
    await using at = await scene(() => [], { policy: { maxPayload: 500 } });
    await expect(runTurn(at.gateway, order('x'.repeat(500)))).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
    });
    expect(at.hand.connections.size).toBe(1);
  });

  it('fails if the gateway keeps accepting and closing connections', async () => {
    await using at = await scene(
      () => {
        for (const each of at.hand.connections) setTimeout(() => each.destroy(), 1);
        return [];
      },
      { awayMs: 1_000 },
    );
    await expect(runTurn(at.gateway, order())).rejects.toMatchObject({ code: 'SERVER_GONE' });
    expect(at.methods().filter((method) => method === 'connect').length).toBeLessThan(10);
  });

  it('fails at once without a gateway', async () => {
    const gateway = createGateway({
      find: () => ({ reason: 'nothing is configured.' }),
      identity: () => openIdentity('/nowhere'),
    });
    await expect(runTurn(gateway, order())).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });

  it('notices a gateway that no longer responds', async () => {
    await using at = await scene(() => [], { policy: { tickIntervalMs: 20 } });
    const socket = await at.gateway.connect();
    await socket.closed;
    expect(await eventually(() => at.hand.connections.size === 0)).toBe(true);
  });
});
