import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionOn, HandExchange, HandWire, toolRequest } from '../../../../test/kit/fake-wire.ts';
import { PincerError } from '../core/errors.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { SourceRequest } from '../core/request.ts';
import { createPool, type Pool } from './pool.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const LIMITS = { ...DEFAULT_LIMITS, maxOwnConnections: 2, ownConnectionIdleMs: 1_000 };

interface Bench {
  readonly pool: Pool;
  readonly wires: Map<string, HandWire>;
  /** Keys in the order of connecting. */
  readonly connected: string[];
  /** The request of each connection. */
  readonly requests: (SourceRequest | undefined)[];
  use(key: string): Promise<HandExchange>;
}

function bench(connect?: (key: string) => Promise<void>): Bench {
  const wires = new Map<string, HandWire>();
  const connected: string[] = [];
  const requests: (SourceRequest | undefined)[] = [];
  const pool = createPool({
    server: 's',
    limits: LIMITS,
    isShared: (key) => key === 'shared',
    async connect(key, request) {
      connected.push(key);
      requests.push(request);
      await connect?.(key);
      const wire = new HandWire();
      wires.set(key, wire);
      return connectionOn(wire);
    },
  });
  return {
    pool,
    wires,
    connected,
    requests,
    async use(key) {
      const exchange = new HandExchange();
      (await pool.open(key)).call(toolRequest(), exchange);
      return exchange;
    },
  };
}

describe('opening', () => {
  it('happens once for all callers', async () => {
    const { pool, connected } = bench();
    const [one, other] = await Promise.all([pool.open('shared'), pool.open('shared')]);
    expect(one).toBe(other);
    expect(await pool.open('shared')).toBe(one);
    expect(pool.ready('shared')).toBe(one);
    expect(connected).toEqual(['shared']);
  });

  it('is not ready before it has finished', async () => {
    const { pool } = bench();
    const opening = pool.open('a');
    expect(pool.ready('a')).toBeUndefined();
    await opening;
    expect(pool.ready('a')).toBeDefined();
    expect(pool.ready('b')).toBeUndefined();
  });

  it('fails for all waiting callers, and is retried by the next', async () => {
    let isBroken = true;
    const { pool, connected } = bench(async () => {
      if (isBroken) throw new PincerError('SERVER_UNREACHABLE', 'no');
    });
    const results = await Promise.allSettled([pool.open('shared'), pool.open('shared')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(connected).toHaveLength(1);
    isBroken = false;
    expect((await pool.open('shared')).isOpen).toBe(true);
  });

  it('happens again after the connection closed', async () => {
    const { pool, wires } = bench();
    const first = await pool.open('shared');
    wires.get('shared')!.break();
    expect(pool.ready('shared')).toBeUndefined();
    pool.drop('shared', first);
    const second = await pool.open('shared');
    expect(second).not.toBe(first);
    pool.drop('shared', first);
    expect(pool.ready('shared')).toBe(second);
  });
});

it('opens a connection for the first caller, and the others join', async () => {
  const { pool, requests } = bench();
  const [first, second] = [toolRequest({ caller: 'a' }), toolRequest({ caller: 'b' })];
  await Promise.all([pool.open('shared', first), pool.open('shared', second)]);
  await pool.open('other');
  expect(requests).toEqual([first, undefined]);
});

describe('the connections of a session', () => {
  it('are found by the end of their keys, except shared ones', async () => {
    const { pool, wires } = bench();
    const own = await pool.open('own/c/1');
    await pool.open('own/c/11');
    await pool.open('shared');
    expect(pool.own('/1')).toEqual([own]);
    expect(pool.own('shared')).toEqual([]);
    pool.closeOwn('/1');
    pool.closeOwn('shared');
    expect([...wires].map(([key, { isClosed }]) => [key, isClosed])).toEqual([
      ['own/c/1', true],
      ['own/c/11', false],
      ['shared', false],
    ]);
    expect(pool.ready('own/c/1')).toBeUndefined();
  });
});

describe('own connections', () => {
  it('are limited; the one that was idle longest is closed', async () => {
    const { pool, wires } = bench();
    await pool.open('a');
    vi.advanceTimersByTime(10);
    await pool.open('b');
    vi.advanceTimersByTime(10);
    await pool.open('c');
    expect(wires.get('a')!.isClosed).toBe(true);
    expect(pool.ready('a')).toBeUndefined();
    expect([pool.ready('b'), pool.ready('c')]).not.toContain(undefined);
  });

  it('with running calls are never closed: one more caller gets SERVER_BUSY', async () => {
    const { pool, wires, use } = bench();
    await use('a');
    await use('b');
    await expect(pool.open('c')).rejects.toMatchObject({ code: 'SERVER_BUSY' });
    wires.get('a')!.answer(wires.get('a')!.lastId, '{}');
    expect((await pool.open('c')).isOpen).toBe(true);
    expect(wires.get('b')!.isClosed).toBe(false);
  });

  it('count while they are being opened', async () => {
    const gate = Promise.withResolvers<void>();
    const { pool } = bench(() => gate.promise);
    const opening = [pool.open('a'), pool.open('b')];
    await expect(pool.open('c')).rejects.toMatchObject({ code: 'SERVER_BUSY' });
    gate.resolve();
    await Promise.all(opening);
  });

  it('do not include the shared one', async () => {
    const { pool, use } = bench();
    await use('a');
    await use('b');
    expect((await pool.open('shared')).isOpen).toBe(true);
    expect(pool.inFlight).toBe(2);
  });

  it('are closed after a long idle time, unlike the shared one', async () => {
    const { pool, wires, use } = bench();
    await pool.open('shared');
    await pool.open('a');
    await use('b');
    await vi.advanceTimersByTimeAsync(1_500);
    expect([...wires].map(([key, { isClosed }]) => [key, isClosed])).toEqual([
      ['shared', false],
      ['a', true],
      ['b', false],
    ]);
    expect(pool.ready('a')).toBeUndefined();
  });
});

describe('the end', () => {
  it('closes everything, including running calls', async () => {
    const { pool, wires, use } = bench();
    const exchange = await use('a');
    await pool.open('shared');
    await pool.closeAll(new PincerError('SERVER_GONE', 'Stopped.'));
    expect([...wires.values()].map(({ isClosed }) => isClosed)).toEqual([true, true]);
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(pool.inFlight).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('closes a connection that is being opened', async () => {
    const gate = Promise.withResolvers<void>();
    const { pool, wires } = bench(() => gate.promise);
    const opening = pool.open('shared');
    const closed = pool.closeAll(new PincerError('SERVER_GONE', 'Stopped.'));
    gate.resolve();
    await opening;
    await closed;
    expect(wires.get('shared')!.isClosed).toBe(true);
  });
});

describe('a retired connection', () => {
  it('is counted, and closed with the others', async () => {
    const { pool, wires, use } = bench();
    const exchange = await use('shared');
    const connection = pool.ready('shared')!;
    connection.retire(new PincerError('SERVER_GONE', 'It is silent.'));
    pool.drop('shared', connection);
    expect(pool.ready('shared')).toBeUndefined();
    expect(pool.inFlight).toBe(1);
    await pool.closeAll(new PincerError('SERVER_GONE', 'The hub ends.'));
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(wires.get('shared')!.isClosed).toBe(true);
    expect(pool.inFlight).toBe(0);
  });
});
