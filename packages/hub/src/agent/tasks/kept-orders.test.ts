import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answeredWith, HandWork } from '../../../../../test/kit/fake-order.ts';
import { PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { createTasks, startOrder, STOP_WAIT_MS, type KeptOrder, type Work } from './kept-orders.ts';

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

/** An answer of this size. */
const ofSize = (bytes: number): Outcome =>
  answeredWith('x'.repeat(bytes - (answeredWith('') as { result: string }).result.length));

describe('kept order', () => {
  it('is found only by its caller, while it runs and afterwards', async () => {
    const { tasks, begin } = bench();
    const { hand, order } = begin('me');
    const looks = (): unknown[] => ['me', 'you', ''].map((who) => tasks.find(who, order.id));
    expect(looks()).toEqual([order, undefined, undefined]);
    await hand.end();
    expect(looks()).toEqual([order, undefined, undefined]);
    expect(tasks.find('me', 'o-2')).toBeUndefined();
  });

  it('may run for any time', async () => {
    const { begin, isKept } = bench();
    const { hand, order } = begin();
    vi.advanceTimersByTime(1_000 * TTL_MS);
    expect([isKept(order), hand.signal!.aborted]).toEqual([true, false]);
  });

  it('is stopped and forgotten when its caller is revoked', async () => {
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

  it('can be fetched any number of times until it expires', async () => {
    const { ended, isKept } = bench();
    const order = await ended();
    vi.setSystemTime(1_000 + TTL_MS - 1);
    expect([isKept(order), isKept(order)]).toEqual([true, true]);
    vi.setSystemTime(1_000 + TTL_MS);
    expect(isKept(order)).toBe(false);
  });

  it('makes room for the next one of its caller, oldest first', async () => {
    const { begin, ended, isKept } = bench(3);
    const running = begin().order;
    const later = begin();
    const first = await ended();
    await later.hand.end();
    const others = await ended(undefined, 'you');
    const next = begin().order;
    expect([running, first, later.order, next, others].map(isKept)).toEqual([true, false, true, true, true]);
  });

  it('is refused if all orders of its caller are running', () => {
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

  it('is not counted after it is forgotten', async () => {
    const { tasks, begin } = bench(1);
    for (let turn = 0; turn < 5; turn++) {
      const { hand, order } = begin();
      order.watch({ onEnd: () => tasks.forget(order) });
      await hand.end();
      expect(tasks.running).toBe(0);
    }
  });
});

describe('kept answers', () => {
  it('are limited in bytes, oldest dropped first', async () => {
    const { ended, isKept } = bench();
    const half = MAX_BYTES / 2;
    const first = await ended(ofSize(half), 'a');
    const second = await ended(ofSize(half), 'b');
    expect([first, second].map(isKept)).toEqual([true, true]);
    const third = await ended(ofSize(1_000), 'c');
    expect([first, second, third].map(isKept)).toEqual([false, true, true]);
  });

  it('always include the last one, even if it is too large', async () => {
    const { ended, isKept } = bench();
    const small = await ended();
    const large = await ended(ofSize(MAX_BYTES + 1));
    expect([small, large].map(isKept)).toEqual([false, true]);
    // A dropped answer is no longer counted.
    const next = await ended();
    const one = await ended();
    expect([large, next, one].map(isKept)).toEqual([false, true, true]);
  });

  it('do not count delivered answers', async () => {
    const { tasks, begin, ended, isKept } = bench();
    const first = await ended(ofSize(MAX_BYTES));
    const { hand, order } = begin();
    order.watch({ onEnd: () => tasks.forget(order) });
    await hand.end(ofSize(1_000));
    expect([first, order].map(isKept)).toEqual([true, false]);
  });

  it('expire without a request', async () => {
    const { tasks, ended } = bench();
    await ended();
    const counts = [tasks.kept];
    vi.advanceTimersByTime(TTL_MS);
    counts.push(tasks.kept);
    expect(counts).toEqual([1, 0]);
  });
});

it('stops all running orders when the hub stops', async () => {
  const { tasks, begin } = bench();
  const running = [begin('a'), begin('b')];
  const done = begin('c');
  await done.hand.end();
  expect(tasks.running).toBe(2);
  tasks.close();
  expect([...running, done].map(({ hand }) => hand.signal!.aborted)).toEqual([true, true, false]);
});

beforeEach(() => vi.useFakeTimers({ now: 1_000 }));
afterEach(() => vi.useRealTimers());

const KEEP_MS = 60_000;
const DONE = answeredWith('Done.');

function start(work: Work) {
  const ends: Outcome[] = [];
  const texts: string[] = [];
  const kept: KeptOrder[] = [];
  const order = startOrder(work, {
    id: 'o',
    caller: 'me',
    keepMs: KEEP_MS,
    now: () => Date.now(),
    onEnd: (which) => kept.push(which),
  });
  const leave = order.watch({
    onProgress: (read) => texts.push(read().text),
    onEnd: (outcome) => ends.push(outcome),
  });
  return { order, ends, texts, kept, leave };
}

describe('order', () => {
  it('runs once, and tells its watchers the end', async () => {
    const hand = new HandWork();
    const { order, ends, texts, kept } = start(hand.work);
    hand.say('Let me');
    hand.say('Let me see.');
    expect(order).toMatchObject({ outcome: undefined, isCancelled: false, ttlMs: null });
    expect(order.progress!().text).toBe('Let me see.');
    await hand.end(DONE);
    expect([texts, ends, kept, hand.runs]).toEqual([['Let me', 'Let me see.'], [DONE], [order], 1]);
    expect([order.outcome, order.progress]).toEqual([DONE, undefined]);
  });

  it('has its start, its last update, and its time to live', async () => {
    const hand = new HandWork();
    const { order } = start(hand.work);
    vi.setSystemTime(3_000);
    hand.say('a');
    expect([order.createdAt, order.updatedAt, order.ttlMs]).toEqual([1_000, 3_000, null]);
    vi.setSystemTime(4_000);
    await hand.end();
    expect([order.updatedAt, order.ttlMs]).toEqual([4_000, 3_000 + KEEP_MS]);
  });

  it.each<[string, Work]>([
    [
      'at once',
      () => {
        throw new Error('broken');
      },
    ],
    ['later', async () => Promise.reject(new Error('broken'))],
  ])('ends with an unknown outcome if its work throws %s', async (_, work) => {
    const { order, ends } = start(work);
    await vi.advanceTimersByTimeAsync(0);
    expect(ends).toMatchObject([
      { kind: 'outcome_unknown', reason: { code: 'INTERNAL', message: 'broken' } },
    ]);
    expect(order.outcome).toBe(ends[0]);
  });

  it('passes the reason of a cancellation to its work, and ends with its outcome', async () => {
    const hand = new HandWork();
    const { order, ends } = start(hand.work);
    expect(order.cancel('not needed')).toBe(true);
    expect(hand.signal!.reason).toBeInstanceOf(PincerError);
    expect(hand.signal!.reason).toMatchObject({
      code: 'CALL_CANCELLED',
      message: 'Cancelled: not needed.',
    });
    expect([order.isCancelled, order.outcome, order.cancel('again')]).toEqual([true, undefined, false]);
    await hand.end(DONE);
    expect([ends, order.isCancelled]).toEqual([[DONE], true]);
  });

  it('ends after a timeout if its work does not stop, and ignores a late end', async () => {
    const hand = new HandWork();
    const { order, ends } = start(hand.work);
    order.cancel('not needed');
    vi.advanceTimersByTime(STOP_WAIT_MS - 1);
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(1);
    await hand.end(DONE);
    hand.say('still here');
    expect(ends).toMatchObject([{ kind: 'outcome_unknown', reason: { code: 'CALL_CANCELLED' } }]);
    expect([order.outcome, order.progress]).toEqual([ends[0], undefined]);
  });

  it('cannot be cancelled after its end', async () => {
    const hand = new HandWork();
    const { order } = start(hand.work);
    await hand.end();
    expect([order.cancel('late'), order.isCancelled, hand.signal!.aborted]).toEqual([false, false, false]);
  });

  it('does not tell former watchers', async () => {
    const hand = new HandWork();
    const { leave, texts, ends, order } = start(hand.work);
    leave();
    hand.say('a');
    await hand.end(DONE);
    expect([texts, ends, order.outcome, hand.signal!.aborted]).toEqual([[], [], DONE, false]);
  });

  it('ends once, for any order of events', async () => {
    const step = fc.constantFrom('say', 'cancel', 'end', 'fail', 'wait', 'watch', 'ask');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const hand = new HandWork();
        const { order, ends, texts, kept } = start(hand.work);
        const later: Outcome[] = [];
        let watchers = 0;
        for (const each of steps) {
          const before = order.outcome;
          const countBefore = texts.length;
          if (each === 'say') hand.say('a');
          else if (each === 'cancel') order.cancel('why');
          else if (each === 'end') await hand.end(DONE);
          else if (each === 'fail') await hand.fail(new Error('broken'));
          else if (each === 'wait') await vi.advanceTimersByTimeAsync(STOP_WAIT_MS);
          else if (each === 'ask') hand.ask('May I?');
          else if (before === undefined) {
            watchers++;
            order.watch({ onEnd: (outcome) => later.push(outcome) });
          }
          // After the end nothing changes and nothing is reported.
          if (before !== undefined) expect([order.outcome, texts.length]).toEqual([before, countBefore]);
        }
        await hand.end(DONE);
        expect([hand.runs, ends.length, kept.length, later.length]).toEqual([1, 1, 1, watchers]);
        expect(ends[0]).toBe(order.outcome);
      }),
      { numRuns: 200 },
    );
  });
});
