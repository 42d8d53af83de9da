/** Network faults in front of real servers: no call is lost silently, and none runs twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFaultProxy, type FaultProxy } from '../kit/fault-proxy.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { listText, textOf } from '../kit/messages.ts';
import { openFaultyServer, type FaultyServer } from '../kit/faulty-server.ts';
import { eventually } from '../kit/processes.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import { serverStatus, whenInFlight, whenState } from '../kit/status.ts';
import type { Era } from '../servers/flags.ts';
import { startHttpServer, type RunningServer } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

const KINDS: [name: string, era: Era, response: 'json' | 'sse'][] = [
  ['legacy-json', 'legacy', 'json'],
  ['legacy-sse', 'legacy', 'sse'],
  ['modern-json', 'modern', 'json'],
  ['modern-sse', 'modern', 'sse'],
];
const NAMES = KINDS.map(([name]) => name);
const UNKNOWN = { code: -32011, data: { outcome: 'outcome_unknown' } };
/** Long enough that no call ends by it unless a test sets it. */
const REQUEST_TIMEOUT_MS = 60_000;

const servers: RunningServer[] = [];
const proxies = new Map<string, FaultProxy>();
let faulty: FaultyServer;
let hub: TestHub;

beforeAll(async () => {
  faulty = await openFaultyServer();
  proxies.set('faulty', await openFaultProxy(faulty.url));
  for (const [name, era, response] of KINDS) {
    const server = await startHttpServer({ era, response });
    servers.push(server);
    proxies.set(name, await openFaultProxy(server.url));
  }
  const settings = { requestTimeoutMs: REQUEST_TIMEOUT_MS, connectTimeoutMs: 1_000 };
  const entries = [...proxies].map(([name, { url }]) => [name, httpServer(url, settings)]);
  hub = await startHub({
    servers: { ...Object.fromEntries(entries), pipe: stdioServer({ tools: ['echo'] }) },
    config: { limits: { heartbeatMs: 1_000 } },
  });
});
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  for (const proxy of proxies.values()) await proxy[Symbol.asyncDispose]();
  await faulty?.[Symbol.asyncDispose]();
  for (const server of servers) await server.stop();
});

const proxyOf = (name: string): FaultProxy => proxies.get(name)!;
const eraOf = (name: string): Era => (name.startsWith('modern') ? 'modern' : 'legacy');
const echo = async (name: string, message: string): Promise<string> =>
  textOf(await hub.call(`${name}__echo`, { message }, { era: eraOf(name) }));
const expectBack = async (name: string): Promise<void> =>
  expect(await eventually(async () => (await echo(name, 'back')) === 'back')).toBe(true);

describe.each(NAMES)('%s', (name) => {
  it('works with a high latency', async () => {
    await proxyOf(name).set({ kind: 'latency', ms: 80 });
    expect(await echo(name, 'héllo')).toBe('héllo');
    await proxyOf(name).set({ kind: 'none' });
  });

  it('works with one byte at a time', async () => {
    await proxyOf(name).set({ kind: 'slice', bytes: 1 });
    expect(await echo(name, 'héllo 🦀')).toBe('héllo 🦀');
    await proxyOf(name).set({ kind: 'none' });
  });

  it.each(['reset', 'close'] as const)(
    'ends the call at once if its answer is cut off (%s)',
    async (kind) => {
      await proxyOf(name).set({ kind, way: 'to-client', after: 40 });
      const { error } = await hub.call(`${name}__whoami`, {}, { era: eraOf(name) });
      expect(error).toMatchObject(UNKNOWN);
      await proxyOf(name).set({ kind: 'none' });
      await expectBack(name);
    },
  );

  it('ends calls at once when their connections break, and retries a read-only call', async () => {
    const lost = hub.call(`${name}__slow`, { ms: 600_000 }, { era: eraOf(name) });
    await whenInFlight(hub, name, 1);
    proxyOf(name).resetAll();
    expect((await lost).error).toMatchObject(UNKNOWN);
    await proxyOf(name).set({ kind: 'latency', ms: 300 });
    const read = echo(name, 'read');
    await whenInFlight(hub, name, 1);
    proxyOf(name).resetAll();
    await proxyOf(name).set({ kind: 'none' });
    expect(await read).toBe('read');
  });
});

describe('a call that writes', () => {
  const write = async () => await hub.call('faulty__write');

  it.each([
    ['to-server', 0],
    ['to-server', 100],
    ['to-client', 0],
    ['to-client', 20],
  ] as const)('is not repeated after a reset %s after %i bytes', async (way, after) => {
    expect(textOf(await write())).toMatch(/^run /);
    const before = faulty.runs;
    await proxyOf('faulty').set({ kind: 'reset', way, after });
    const { error } = await write();
    await proxyOf('faulty').set({ kind: 'none' });
    expect(error).toMatchObject(UNKNOWN);
    expect(faulty.runs - before).toBe(way === 'to-client' ? 1 : 0);
    expect(await eventually(async () => textOf(await write()) === `run ${faulty.runs}`)).toBe(true);
  });
});

describe('a stream that stays silent', () => {
  it('is not treated as dead, with any kind of server', async () => {
    const ms = 5_500;
    const calls = NAMES.map((name) => hub.call(`${name}__slow`, { ms }, { era: eraOf(name) }));
    for (const answer of await Promise.all(calls)) expect(textOf(answer)).toBe(`waited ${ms} ms`);
  });
});

describe('connections to a server', () => {
  it('are reused', async () => {
    for (const name of NAMES) {
      await echo(name, 'first');
      const before = proxyOf(name).connections;
      for (let count = 0; count < 5; count++) expect(await echo(name, 'again')).toBe('again');
      expect(proxyOf(name).connections).toBe(before);
    }
  });

  it('end their calls by the deadline if they are silently dead, and new ones are made', async () => {
    const entries = NAMES.map((name) => [name, httpServer(proxyOf(name).url, { requestTimeoutMs: 2_000 })]);
    await using own = await startHub({ servers: Object.fromEntries(entries) });
    const check = async (name: string): Promise<void> => {
      const era = eraOf(name);
      const lost = own.call(`${name}__slow`, { ms: 1_000 }, { era });
      await whenInFlight(own, name, 1);
      await proxyOf(name).set({ kind: 'half-open' });
      expect((await lost).error).toMatchObject({ code: -32011, data: { code: 'CALL_TIMEOUT' } });
      expect(textOf(await own.call(`${name}__echo`, { message: 'back' }, { era }))).toBe('back');
      await proxyOf(name).set({ kind: 'none' });
    };
    await Promise.all(NAMES.map(check));
  });
});

describe('a server behind a black hole', () => {
  it('is detected without a call, delays no other server, and works when it is back', async () => {
    verifies('004-16-health-checks');
    const name = 'legacy-json';
    await proxyOf(name).set({ kind: 'black-hole' });
    await whenState(hub, name, 'backoff');
    const { body } = await hub.post(listText());
    expect(body).toContain('legacy-json__echo');
    expect(textOf(await hub.call('pipe__echo', { message: 'well' }))).toBe('well');
    expect((await serverStatus(hub, name)).error).toBeDefined();
    await proxyOf(name).set({ kind: 'none' });
    await expectBack(name);
  });

  it('times out after connectTimeoutMs at the start', async () => {
    verifies('004-12.1-connect-timeout');
    const proxy = proxyOf('faulty');
    await proxy.set({ kind: 'black-hole' });
    const web = httpServer(proxy.url, { connectTimeoutMs: 300 });
    await using own = await startHub({ servers: { web }, ready: false });
    await whenState(own, 'web', 'backoff');
    expect((await serverStatus(own, 'web')).error?.message).toContain('within 300 ms');
    await proxy.set({ kind: 'none' });
  });
});
