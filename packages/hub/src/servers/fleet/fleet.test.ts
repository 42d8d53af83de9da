import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import type { ServerConfig } from '../../config/schema.ts';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import { createFleet, type Fleet } from './fleet.ts';
import type { RemoteSource } from '../source.ts';

const QUIET: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const servers = (config: Record<string, object>): Readonly<Record<string, ServerConfig>> =>
  parseConfig({ servers: config }, {}).servers;

interface HandSource {
  readonly name: string;
  readonly source: RemoteSource;
  readonly after: Promise<void> | undefined;
  started: number;
  isStopped: boolean;
  inFlight: number;
  failure: PincerError | undefined;
  /** The sources that it replaced. */
  readonly predecessors: RemoteSource[];
}

/** A fleet of fake sources that only count calls. */
function open(known: readonly string[] = []) {
  const made: HandSource[] = [];
  const configured: string[][] = [];
  let failure: PincerError | undefined;
  const fleet: Fleet = createFleet({
    limits: { ...DEFAULT_LIMITS, drainMs: 200, listWaitMs: 100 },
    log: QUIET,
    now: () => Date.now(),
    isKnown: (name) => known.includes(name),
    createSource(name, _config, { after }) {
      const hand: HandSource = {
        name,
        after,
        started: 0,
        isStopped: false,
        inFlight: 0,
        failure,
        predecessors: [],
        source: {
          name,
          state: 'idle',
          problem: undefined,
          get inFlight() {
            return hand.inFlight;
          },
          async start() {
            hand.started++;
            if (hand.failure !== undefined) throw hand.failure;
          },
          async stop() {
            hand.isStopped = true;
          },
          subscriptions: () => [],
          succeed: (predecessor: RemoteSource) => void hand.predecessors.push(predecessor),
          status: () => ({ name, state: 'ready' }) as ReturnType<RemoteSource['status']>,
        } as unknown as RemoteSource,
      };
      made.push(hand);
      return hand.source;
    },
    onConfigured: (running) => void configured.push([...running.keys()]),
  });
  const of = (name: string): HandSource => made.findLast((each) => each.name === name)!;
  return { fleet, made, of, configured, failWith: (error: PincerError) => void (failure = error) };
}

describe('a fleet', () => {
  it('starts eager servers, and servers that never sent their lists', () => {
    const { fleet, of } = open(['lazy']);
    fleet.reconcile(
      servers({
        eager: { command: 'a' },
        lazy: { command: 'b', start: 'lazy' },
        unknown: { command: 'c', start: 'lazy' },
        off: { command: 'd', enabled: false },
      }),
    );
    fleet.connectAll();
    expect(['eager', 'lazy', 'unknown'].map((name) => of(name).started)).toEqual([1, 0, 1]);
    expect(of('off')).toBeUndefined();
    expect(fleet.statuses().map(({ name, state }) => `${name} ${state}`)).toEqual([
      'eager ready',
      'lazy ready',
      'unknown ready',
      'off disabled',
    ]);
  });

  it('starts known servers a while after unknown ones, and not after it was stopped', async () => {
    const { fleet, of } = open(['known', 'lazy']);
    const config = {
      known: { command: 'a' },
      lazy: { command: 'b', start: 'lazy' },
      unknown: { command: 'c' },
    };
    fleet.reconcile(servers(config));
    fleet.connectAll(20);
    const started = (): number[] => Object.keys(config).map((name) => of(name).started);
    expect(started()).toEqual([0, 0, 1]);
    await expect.poll(started).toEqual([1, 0, 1]);
    fleet.connectAll(20);
    await fleet.stop();
    await sleep(40);
    expect(started()).toEqual([1, 0, 2]);
  });

  it('keeps a disconnected server stopped until it is reconnected, across other edits', async () => {
    const { fleet, of, made } = open();
    const config = { a: { command: 'a' }, b: { command: 'b' } };
    fleet.reconcile(servers(config));
    const states = (): string[] => fleet.statuses().map(({ name, state }) => `${name} ${state}`);
    expect([fleet.disconnect('a'), fleet.disconnect('a'), fleet.disconnect('unknown')]).toEqual([
      true,
      false,
      false,
    ]);
    await expect.poll(() => of('a').isStopped).toBe(true);
    expect([states(), fleet.source('a')]).toEqual([['a stopped', 'b ready'], undefined]);
    fleet.reconcile(servers({ ...config, b: { command: 'b', trust: 'ask' } }));
    expect(states()).toEqual(['a stopped', 'b ready']);
    fleet.reconnect('a');
    expect([states(), made.length]).toEqual([['a ready', 'b ready'], 3]);
    fleet.disconnect('a');
    fleet.reconcile(servers({ b: config.b }));
    expect(states()).toEqual(['b ready']);
  });

  it('leaves unchanged servers alone', () => {
    const { fleet, made, of } = open();
    const config = { a: { command: 'a' }, b: { command: 'b' } };
    fleet.reconcile(servers(config));
    const before = of('a').source;
    fleet.reconcile(servers({ ...config, b: { command: 'b', trust: 'ask' } }));
    expect(made).toHaveLength(2);
    expect(fleet.source('a')).toBe(before);
    expect(made.some(({ isStopped }) => isStopped)).toBe(false);
  });

  it('stops removed servers, and a replaced one before its successor connects', async () => {
    const { fleet, made, of, configured } = open();
    fleet.reconcile(servers({ a: { command: 'a' }, b: { command: 'b' } }));
    const [a, b] = [of('a'), of('b')];
    fleet.reconcile(servers({ b: { command: 'b', args: ['--new'] } }));
    expect([a.isStopped, b.isStopped]).toEqual([true, true]);
    expect(of('b')).not.toBe(b);
    expect(of('b').predecessors).toEqual([b.source]);
    await expect(of('b').after).resolves.toBeUndefined();
    expect(configured).toEqual([['a', 'b'], ['b']]);
    expect(made).toHaveLength(3);
  });

  it('lets running calls end without waiting for them', async () => {
    const { fleet, of } = open();
    fleet.reconcile(servers({ a: { command: 'a' } }));
    const old = of('a');
    old.inFlight = 1;
    fleet.reconcile(servers({ a: { command: 'other' } }));
    expect(of('a').after).toBeUndefined();
    await sleep(50);
    expect(old.isStopped).toBe(false);
    old.inFlight = 0;
    await expect.poll(() => old.isStopped).toBe(true);
  });

  it('ends running calls that take too long', async () => {
    const { fleet, of } = open();
    fleet.reconcile(servers({ a: { command: 'a' } }));
    const old = of('a');
    old.inFlight = 1;
    fleet.reconcile({});
    await expect.poll(() => old.isStopped).toBe(true);
  });

  it('keeps a server that is being added through a reload without it', async () => {
    const { fleet } = open();
    const adding = fleet.add('new', servers({ new: { command: 'n' } })['new']!);
    fleet.reconcile({});
    expect(fleet.source('new')).toBeDefined();
    await adding;
    fleet.reconcile({});
    expect(fleet.source('new')).toBeUndefined();
  });

  it('forgets a server that could not be added', async () => {
    const { fleet, of, failWith } = open();
    failWith(new PincerError('SERVER_UNREACHABLE', 'Connection refused.'));
    await expect(fleet.add('new', servers({ new: { command: 'n' } })['new']!)).rejects.toThrow('refused');
    expect(fleet.source('new')).toBeUndefined();
    expect(of('new').isStopped).toBe(true);
    expect(fleet.statuses()).toEqual([]);
  });

  it('keeps a server that only waits for a sign-in, unless it has a key', async () => {
    const refusal = new PincerError('SIGN_IN_NEEDED', 'Who are you?');
    for (const [config, isKept] of [
      [{ url: 'https://example.com/mcp' }, true],
      [{ url: 'https://example.com/mcp', apiKey: 'k' }, false],
    ] as const) {
      const { fleet, failWith } = open();
      failWith(refusal);
      await expect(fleet.add('new', servers({ new: config })['new']!)).rejects.toBe(refusal);
      expect(fleet.running.has('new')).toBe(isKept);
    }
  });

  it('applies an edit while a server that could not be added ends', async () => {
    const { fleet, of, failWith } = open();
    failWith(new PincerError('SERVER_UNREACHABLE', 'Connection refused.'));
    const adding = fleet.add('new', servers({ new: { command: 'n' } })['new']!).catch(() => undefined);
    fleet.reconcile(servers({ a: { command: 'a' } }));
    await adding;
    fleet.reconcile(servers({ a: { command: 'a' }, b: { command: 'b' } }));
    expect([...fleet.running.keys()]).toEqual(['a', 'b']);
    expect(of('new').isStopped).toBe(true);
  });

  it('keeps a server that an edit added while one of its name could not be added', async () => {
    const { fleet, of, failWith } = open();
    failWith(new PincerError('SERVER_UNREACHABLE', 'Connection refused.'));
    const adding = fleet.add('new', servers({ new: { command: 'n' } })['new']!).catch(() => undefined);
    fleet.reconcile(servers({ new: { command: 'other' } }));
    await adding;
    expect(of('new').isStopped).toBe(false);
    expect(fleet.source('new')).toBe(of('new').source);
  });

  it('stops without waiting for running calls', async () => {
    const { fleet, of } = open();
    fleet.reconcile(servers({ a: { command: 'a' } }));
    const old = of('a');
    old.inFlight = 1;
    fleet.reconcile({});
    const stopping = fleet.stop();
    expect(old.isStopped).toBe(true);
    old.inFlight = 0;
    await stopping;
  });

  it('refuses to add a server whose name exists', async () => {
    const { fleet } = open();
    const config = servers({ a: { command: 'a', enabled: false } });
    fleet.reconcile(config);
    await expect(fleet.add('a', config['a']!)).rejects.toMatchObject({ code: 'SERVER_EXISTS' });
  });
});

describe('a list', () => {
  it('waits for servers that never sent their lists, only for a limited time', async () => {
    const { fleet, of } = open(['known']);
    fleet.reconcile(servers({ known: { command: 'a' }, unknown: { command: 'b' } }));
    expect(fleet.whenKnown((name) => name === 'known')).toBeUndefined();
    const waiting = fleet.whenKnown(() => true);
    expect(waiting).toBeDefined();
    await waiting;
    expect([of('known').started, of('unknown').started]).toEqual([0, 1]);
    // A new list does not restart the wait.
    await expect.poll(() => fleet.whenKnown(() => true)).toBeUndefined();
  });
});
