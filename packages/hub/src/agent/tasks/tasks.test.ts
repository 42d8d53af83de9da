import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answeredWith, HandWork } from '../../../../../test/kit/hand-order.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { KeptOrder } from './kept-order.ts';
import { createTasks } from './tasks.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000 }));
afterEach(() => vi.useRealTimers());

const TTL_MS = 60_000;
const MAX_BYTES = 100_000;

function bench(maxOrders = 100) {
  let count = 0;
  const tasks = createTasks({
    limits: { maxOrders, orderTtlMs: TTL_MS, maxOrderBytes: MAX_BYTES },
    now: () => Date.now(),
    newId: () => `o-${++count}`,
  });
  const begin = (caller = 'me'): { hand: HandWork; order: KeptOrder } => {
    const hand = new HandWork();
    return { hand, order: tasks.begin(caller, hand.work) };
  };
  const ended = async (outcome?: Outcome, caller = 'me'): Promise<KeptOrder> => {
    const { hand, order } = begin(caller);
    await hand.end(outcome);
    return order;
  };
  const isKept = ({ caller, id }: KeptOrder): boolean => tasks.find(caller, id) !== undefined;
  return { tasks, begin, ended, isKept };
}

/** An answer that takes so many bytes in all. */
const ofSize = (bytes: number): Outcome =>
  answeredWith('x'.repeat(bytes - (answeredWith('') as { result: string }).result.length));

describe('an order', () => {
  it('is found by its own caller alone, while it runs and afterwards', async () => {
    const { tasks, begin } = bench();
    const { hand, order } = begin('me');
    const looks = (): unknown[] => ['me', 'you', ''].map((who) => tasks.find(who, order.id));
    expect(looks()).toEqual([order, undefined, undefined]);
    await hand.end();
    expect(looks()).toEqual([order, undefined, undefined]);
    expect(tasks.find('me', 'o-2')).toBeUndefined();
  });

  it('goes on for as long as it takes', async () => {
    const { begin, isKept } = bench();
    const { hand, order } = begin();
    vi.advanceTimersByTime(1_000 * TTL_MS);
    expect([isKept(order), hand.signal!.aborted]).toEqual([true, false]);
  });

  it('is stopped, and what was kept is gone, when its caller comes no more', async () => {
    const { tasks, begin, ended, isKept } = bench();
    const mine = begin();
    const yours = begin('you');
    const kept = await ended();
    tasks.forgetCaller('me');
    expect([mine.hand.signal!.aborted, yours.hand.signal!.aborted, isKept(kept)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(tasks.running).toBe(2);
    await mine.hand.end();
    expect(tasks.running).toBe(1);
  });

  it('can be fetched as often as one likes until its time is over', async () => {
    const { ended, isKept } = bench();
    const order = await ended();
    vi.setSystemTime(1_000 + TTL_MS - 1);
    expect([isKept(order), isKept(order)]).toEqual([true, true]);
    vi.setSystemTime(1_000 + TTL_MS);
    expect(isKept(order)).toBe(false);
  });

  it('makes room for the next one when its caller has too many, the first that ended first', async () => {
    const { begin, ended, isKept } = bench(3);
    const running = begin().order;
    const later = begin();
    const first = await ended();
    await later.hand.end();
    const others = await ended(undefined, 'you');
    const next = begin().order;
    expect([running, first, later.order, next, others].map(isKept)).toEqual([true, false, true, true, true]);
  });

  it('of a caller whose orders all go on does not run', () => {
    const { tasks, begin } = bench(2);
    begin();
    begin();
    const hand = new HandWork();
    expect(() => tasks.begin('me', hand.work)).toThrow(
      expect.objectContaining({ code: 'SERVER_BUSY', hint: expect.stringContaining('limits.maxOrders') }),
    );
    expect(hand.runs).toBe(0);
    expect(begin('you').hand.runs).toBe(1);
  });

  it('that is forgotten is not counted', async () => {
    const { tasks, begin } = bench(1);
    for (let turn = 0; turn < 5; turn++) {
      const { hand, order } = begin();
      order.watch({ onEnd: () => tasks.forget(order) });
      await hand.end();
      expect(tasks.running).toBe(0);
    }
  });
});

describe('what is kept of answers', () => {
  it('is bounded in bytes, and the first that ended makes room', async () => {
    const { ended, isKept } = bench();
    const half = MAX_BYTES / 2;
    const first = await ended(ofSize(half), 'a');
    const second = await ended(ofSize(half), 'b');
    expect([first, second].map(isKept)).toEqual([true, true]);
    const third = await ended(ofSize(1_000), 'c');
    expect([first, second, third].map(isKept)).toEqual([false, true, true]);
  });

  it('has room for the last one, however large it is', async () => {
    const { ended, isKept } = bench();
    const small = await ended();
    const large = await ended(ofSize(MAX_BYTES + 1));
    expect([small, large].map(isKept)).toEqual([false, true]);
    // What has gone is not counted any more.
    const next = await ended();
    const one = await ended();
    expect([large, next, one].map(isKept)).toEqual([false, true, true]);
  });

  it('does not make room for an answer that its caller has', async () => {
    const { tasks, begin, ended, isKept } = bench();
    const first = await ended(ofSize(MAX_BYTES));
    const { hand, order } = begin();
    order.watch({ onEnd: () => tasks.forget(order) });
    await hand.end(ofSize(1_000));
    expect([first, order].map(isKept)).toEqual([true, false]);
  });

  it('is let go when its time is over, though nobody asks', async () => {
    const { tasks, ended } = bench();
    await ended();
    const counts = [tasks.kept];
    vi.advanceTimersByTime(TTL_MS);
    counts.push(tasks.kept);
    expect(counts).toEqual([1, 0]);
  });
});

it('all that goes on is stopped with the hub', async () => {
  const { tasks, begin } = bench();
  const running = [begin('a'), begin('b')];
  const done = begin('c');
  await done.hand.end();
  expect(tasks.running).toBe(2);
  tasks.close();
  expect([...running, done].map(({ hand }) => hand.signal!.aborted)).toEqual([true, true, false]);
});
