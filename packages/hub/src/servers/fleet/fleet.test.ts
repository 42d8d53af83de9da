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
  /** Whose place it took. */
  readonly heirOf: RemoteSource[];
}

/** A fleet of sources that only count what is done to them. */
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
        heirOf: [],
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
          succeed: (predecessor: RemoteSource) => void hand.heirOf.push(predecessor),
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
  it('starts those that are to run from the start, and those that were never heard', () => {
    const { fleet, of } = open(['lazy']);
    fleet.reconcile(
      servers({
        eager: { command: 'a' },
        lazy: { command: 'b', start: 'lazy' },
        unheard: { command: 'c', start: 'lazy' },
        off: { command: 'd', enabled: false },
      }),
    );
    fleet.connectAll();
    expect(['eager', 'lazy', 'unheard'].map((name) => of(name).started)).toEqual([1, 0, 1]);
    expect(of('off')).toBeUndefined();
    expect(fleet.statuses().map(({ name, state }) => `${name} ${state}`)).toEqual([
      'eager ready',
      'lazy ready',
      'unheard ready',
      'off disabled',
    ]);
  });

  it('starts what is known a while after what was never heard, and not at all once it has been stopped', async () => {
    const { fleet, of } = open(['known', 'lazy']);
    const config = {
      known: { command: 'a' },
      lazy: { command: 'b', start: 'lazy' },
      unheard: { command: 'c' },
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

  it('stops one that somebody disconnects, until it is connected again, whatever else is edited', async () => {
    const { fleet, of, made } = open();
    const config = { a: { command: 'a' }, b: { command: 'b' } };
    fleet.reconcile(servers(config));
    const states = (): string[] => fleet.statuses().map(({ name, state }) => `${name} ${state}`);
    expect([fleet.disconnect('a'), fleet.disconnect('a'), fleet.disconnect('nobody')]).toEqual([
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

  it('touches nothing that has not changed', () => {
    const { fleet, made, of } = open();
    const config = { a: { command: 'a' }, b: { command: 'b' } };
    fleet.reconcile(servers(config));
    const before = of('a').source;
    fleet.reconcile(servers({ ...config, b: { command: 'b', trust: 'ask' } }));
    expect(made).toHaveLength(2);
    expect(fleet.source('a')).toBe(before);
    expect(made.some(({ isStopped }) => isStopped)).toBe(false);
  });

  it('stops what is gone, and what is replaced makes room for its successor first', async () => {
    const { fleet, made, of, configured } = open();
    fleet.reconcile(servers({ a: { command: 'a' }, b: { command: 'b' } }));
    const [a, b] = [of('a'), of('b')];
    fleet.reconcile(servers({ b: { command: 'b', args: ['--new'] } }));
    expect([a.isStopped, b.isStopped]).toEqual([true, true]);
    expect(of('b')).not.toBe(b);
    expect(of('b').heirOf).toEqual([b.source]);
    await expect(of('b').after).resolves.toBeUndefined();
    expect(configured).toEqual([['a', 'b'], ['b']]);
    expect(made).toHaveLength(3);
  });

  it('lets calls under way end, and lets nobody wait for that', async () => {
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

  it('ends calls under way that take too long', async () => {
    const { fleet, of } = open();
    fleet.reconcile(servers({ a: { command: 'a' } }));
    const old = of('a');
    old.inFlight = 1;
    fleet.reconcile({});
    await expect.poll(() => old.isStopped).toBe(true);
  });

  it('keeps a server that is being added through a reload that does not know of it', async () => {
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
    failWith(new PincerError('SERVER_UNREACHABLE', 'Nobody is there.'));
    await expect(fleet.add('new', servers({ new: { command: 'n' } })['new']!)).rejects.toThrow('Nobody');
    expect(fleet.source('new')).toBeUndefined();
    expect(of('new').isStopped).toBe(true);
    expect(fleet.statuses()).toEqual([]);
  });

  it('keeps a server that only waits for somebody to sign in, unless it has a key', async () => {
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

  it('takes over an edit while a server that could not be added is ended', async () => {
    const { fleet, of, failWith } = open();
    failWith(new PincerError('SERVER_UNREACHABLE', 'Nobody is there.'));
    const adding = fleet.add('new', servers({ new: { command: 'n' } })['new']!).catch(() => undefined);
    fleet.reconcile(servers({ a: { command: 'a' } }));
    await adding;
    fleet.reconcile(servers({ a: { command: 'a' }, b: { command: 'b' } }));
    expect([...fleet.running.keys()]).toEqual(['a', 'b']);
    expect(of('new').isStopped).toBe(true);
  });

  it('leaves a server alone that an edit brought while one of its name could not be added', async () => {
    const { fleet, of, failWith } = open();
    failWith(new PincerError('SERVER_UNREACHABLE', 'Nobody is there.'));
    const adding = fleet.add('new', servers({ new: { command: 'n' } })['new']!).catch(() => undefined);
    fleet.reconcile(servers({ new: { command: 'other' } }));
    await adding;
    expect(of('new').isStopped).toBe(false);
    expect(fleet.source('new')).toBe(of('new').source);
  });

  it('that is stopped waits for no call under way', async () => {
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

  it('does not add one of a name that there is', async () => {
    const { fleet } = open();
    const config = servers({ a: { command: 'a', enabled: false } });
    fleet.reconcile(config);
    await expect(fleet.add('a', config['a']!)).rejects.toMatchObject({ code: 'SERVER_EXISTS' });
  });
});

describe('a list', () => {
  it('waits for servers that were never heard, but not for ever, nor for others', async () => {
    const { fleet, of } = open(['known']);
    fleet.reconcile(servers({ known: { command: 'a' }, unheard: { command: 'b' } }));
    expect(fleet.whenKnown((name) => name === 'known')).toBeUndefined();
    const waiting = fleet.whenKnown(() => true);
    expect(waiting).toBeDefined();
    await waiting;
    expect([of('known').started, of('unheard').started]).toEqual([0, 1]);
    // Not every list waits anew.
    await expect.poll(() => fleet.whenKnown(() => true)).toBeUndefined();
  });
});
