import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHandProxy, type HandProxy } from '../../../../test/kit/fake-proxy.ts';
import { eventually } from '../../../../test/kit/processes.ts';
import {
  connect,
  type AppConnection,
  type AppError,
  type ConnectOptions,
  type SessionStorage,
  type StatusChange,
} from './index.ts';

let proxy: HandProxy;
let changes: StatusChange[];
let errors: AppError[];
const open: AppConnection[] = [];

beforeEach(async () => {
  proxy = await startHandProxy();
  changes = [];
  errors = [];
});
afterEach(async () => {
  for (const app of open.splice(0)) await app.close({ deleteSession: false });
  await proxy[Symbol.asyncDispose]();
});

async function start(options: Partial<ConnectOptions> = {}): Promise<AppConnection> {
  const app = await connect({
    url: proxy.url,
    token: 't',
    tools: { now: { description: 'The time.', run: () => 12 } },
    onStatus: (change) => changes.push(change),
    onError: (error) => errors.push(error),
    ...options,
  });
  open.push(app);
  return app;
}

const statuses = (): string[] => changes.map(({ status }) => status);
const path = (session: string): string => `/v1/chat/sessions/${session}/bridge`;

function memoryStorage(): SessionStorage & { items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

describe('lost bridge', () => {
  it.each([1001, 1006, 1009, 1011, 1012, 4408, 4500])(
    'closed with %i reconnects to the same session',
    async (code) => {
      const app = await start();
      const first = await proxy.bridge(0);
      if (code === 1006) first.cut();
      else first.close(code);
      const second = await proxy.bridge(1);
      expect(second.path).toBe(path('s1'));
      expect(await eventually(() => app.status === 'open' && changes.length === 3)).toBe(true);
      expect(statuses()).toEqual(['open', 'reconnecting', 'open']);
      expect(changes[2]).toMatchObject({ isNewSession: false, sessionId: 's1' });
      expect(proxy.requests).toHaveLength(1);
    },
  );

  it('reconnects after silence', async () => {
    await start({ times: { silenceMs: 200 } });
    await proxy.bridge(1);
    expect(changes[1]).toMatchObject({ status: 'reconnecting', reason: 'The hub stopped responding.' });
  });

  it('stays open while there are pings, and answers them', async () => {
    const app = await start({ times: { silenceMs: 1_500 } });
    const bridge = await proxy.bridge(0);
    for (let count = 0; count < 12; count++) {
      bridge.send({ type: 'ping' });
      await bridge.next('pong');
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(app.status).toBe('open');
    expect(proxy.bridges).toHaveLength(1);
  });

  it('is retried if a hub accepts it and sends nothing', async () => {
    const { welcome } = proxy;
    proxy.welcome = undefined;
    const starting = start({ times: { welcomeMs: 200 } });
    await (await proxy.bridge(0)).next('hello');
    proxy.welcome = welcome;
    await starting;
    expect(proxy.bridges.length).toBeGreaterThan(1);
  });
});

describe('closed bridge', () => {
  it('does not reconnect after it was replaced', async () => {
    const app = await start();
    const bridge = await proxy.bridge(0);
    bridge.send({ type: 'replaced', message: 'Another bridge has taken over.' });
    bridge.close(4409);
    expect(await eventually(() => app.status === 'replaced')).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(proxy.bridges).toHaveLength(1);
    expect(changes.at(-1)).toMatchObject({ reason: 'Another bridge has taken over.' });
    expect(errors[0]).toMatchObject({ code: 'BRIDGE_REPLACED', message: 'Another bridge has taken over.' });
  });

  it('stays closed with a revoked token', async () => {
    const app = await start();
    (await proxy.bridge(0)).close(4401);
    expect(await eventually(() => app.status === 'refused')).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(proxy.bridges).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'TOKEN_INVALID' });
  });

  it('creates a new session if the old one is unknown, and reports that', async () => {
    const app = await start();
    (await proxy.bridge(0)).close(4404);
    expect((await proxy.bridge(1)).path).toBe(path('s2'));
    expect(await eventually(() => changes.length === 3)).toBe(true);
    expect(statuses()).toEqual(['open', 'reconnecting', 'open']);
    expect(changes[2]).toMatchObject({
      isNewSession: true,
      sessionId: 's2',
      mcpUrl: `${proxy.url}/v1/mcp/s2`,
    });
    expect(app).toMatchObject({ sessionId: 's2', mcpUrl: `${proxy.url}/v1/mcp/s2` });
  });

  it('backs off if it fails repeatedly', async () => {
    proxy.closings.push(4404, 4404, 4404, 4404);
    const began = performance.now();
    await start();
    expect(performance.now() - began).toBeGreaterThan(50 + 100 + 200);
  });
});

describe('remembered session', () => {
  it('is used again without a registration, with the current tools', async () => {
    const remember = memoryStorage();
    const first = await start({ remember });
    await first.close();
    expect(proxy.requests.map(({ method }) => method)).toEqual(['POST']);
    const second = await start({ remember, tools: { later: { description: 'Later.', run: () => 1 } } });
    expect(second.sessionId).toBe('s1');
    expect(proxy.requests).toHaveLength(1);
    expect(await (await proxy.bridge(1)).next('tools_changed')).toMatchObject({ tools: [{ name: 'later' }] });
  });

  it.each([
    ['has expired', 4404],
    ['is of another token', 4401],
  ])('is replaced by a new one, which is remembered, if it %s', async (_, code) => {
    const remember = memoryStorage();
    await (await start({ remember })).close();
    proxy.closings.push(code);
    changes = [];
    const app = await start({ remember });
    expect(app.sessionId).toBe('s2');
    expect(changes.at(-1)).toMatchObject({ status: 'open', isNewSession: true });
    expect([...remember.items.values()].join('')).toContain('"s2"');
  });

  it('does not hide an invalid token', async () => {
    const remember = memoryStorage();
    await (await start({ remember })).close();
    proxy.closings.push(4401);
    proxy.answers.push({ status: 401 });
    await expect(start({ remember })).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  });

  it('is forgotten when deleted, and belongs to one chat', async () => {
    const remember = memoryStorage();
    const one = await start({ remember, chatId: 'one' });
    const two = await start({ remember, chatId: 'two' });
    expect([one.sessionId, two.sessionId]).toEqual(['s1', 's2']);
    await one.close({ deleteSession: true });
    expect([...remember.items.keys()].join('')).not.toContain(':one');
    expect(proxy.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/chat/sessions/s1' });
  });

  it('is ignored if it cannot be read', async () => {
    const remember = memoryStorage();
    remember.getItem = () => '{"sessionId":7}';
    expect((await start({ remember })).sessionId).toBe('s1');
    remember.getItem = () => {
      throw new Error('closed');
    };
    expect((await start({ remember })).sessionId).toBe('s2');
  });
});
