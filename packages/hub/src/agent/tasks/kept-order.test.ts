import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answeredWith, HandWork } from '../../../../../test/kit/hand-order.ts';
import { PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { startOrder, STOP_WAIT_MS, type KeptOrder, type Work } from './kept-order.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000 }));
afterEach(() => vi.useRealTimers());

const KEEP_MS = 60_000;
const DONE = answeredWith('Done.');

function start(work: Work) {
  const ends: Outcome[] = [];
  const said: string[] = [];
  const kept: KeptOrder[] = [];
  const order = startOrder(work, {
    id: 'o',
    caller: 'me',
    keepMs: KEEP_MS,
    now: () => Date.now(),
    onEnd: (which) => kept.push(which),
  });
  const leave = order.watch({
    onProgress: (read) => said.push(read().text),
    onEnd: (outcome) => ends.push(outcome),
  });
  return { order, ends, said, kept, leave };
}

describe('an order', () => {
  it('runs once, and those who watch it hear of its end', async () => {
    const hand = new HandWork();
    const { order, ends, said, kept } = start(hand.work);
    hand.say('Let me');
    hand.say('Let me see.');
    expect(order).toMatchObject({ outcome: undefined, isCancelled: false, ttlMs: null });
    expect(order.progress!().text).toBe('Let me see.');
    await hand.end(DONE);
    expect([said, ends, kept, hand.runs]).toEqual([['Let me', 'Let me see.'], [DONE], [order], 1]);
    expect([order.outcome, order.progress]).toEqual([DONE, undefined]);
  });

  it('says when it began, when something was last heard of it, and how long it is kept', async () => {
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
  ])('whose work throws %s ends all the same, and nobody knows how far it got', async (_, work) => {
    const { order, ends } = start(work);
    await vi.advanceTimersByTimeAsync(0);
    expect(ends).toMatchObject([
      { kind: 'outcome_unknown', reason: { code: 'INTERNAL', message: 'broken' } },
    ]);
    expect(order.outcome).toBe(ends[0]);
  });

  it('that is stopped says why to its work, and ends as that says', async () => {
    const hand = new HandWork();
    const { order, ends } = start(hand.work);
    expect(order.cancel('nobody wants it')).toBe(true);
    expect(hand.signal!.reason).toBeInstanceOf(PincerError);
    expect(hand.signal!.reason).toMatchObject({
      code: 'CALL_CANCELLED',
      message: 'Cancelled: nobody wants it.',
    });
    expect([order.isCancelled, order.outcome, order.cancel('again')]).toEqual([true, undefined, false]);
    await hand.end(DONE);
    expect([ends, order.isCancelled]).toEqual([[DONE], true]);
  });

  it('that does not stop is given up, and its late end is nobody’s', async () => {
    const hand = new HandWork();
    const { order, ends } = start(hand.work);
    order.cancel('nobody wants it');
    vi.advanceTimersByTime(STOP_WAIT_MS - 1);
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(1);
    await hand.end(DONE);
    hand.say('still here');
    expect(ends).toMatchObject([{ kind: 'outcome_unknown', reason: { code: 'CALL_CANCELLED' } }]);
    expect([order.outcome, order.progress]).toEqual([ends[0], undefined]);
  });

  it('that has ended cannot be stopped', async () => {
    const hand = new HandWork();
    const { order } = start(hand.work);
    await hand.end();
    expect([order.cancel('late'), order.isCancelled, hand.signal!.aborted]).toEqual([false, false, false]);
  });

  it('is not stopped by those who watch it no longer', async () => {
    const hand = new HandWork();
    const { leave, said, ends, order } = start(hand.work);
    leave();
    hand.say('a');
    await hand.end(DONE);
    expect([said, ends, order.outcome, hand.signal!.aborted]).toEqual([[], [], DONE, false]);
  });

  it('ends once, whatever comes in whatever order', async () => {
    const step = fc.constantFrom('say', 'cancel', 'end', 'fail', 'wait', 'watch', 'ask');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const hand = new HandWork();
        const { order, ends, said, kept } = start(hand.work);
        const later: Outcome[] = [];
        let watchers = 0;
        for (const each of steps) {
          const before = order.outcome;
          const heard = said.length;
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
          // What has ended stays as it ended, and says nothing more.
          if (before !== undefined) expect([order.outcome, said.length]).toEqual([before, heard]);
        }
        await hand.end(DONE);
        expect([hand.runs, ends.length, kept.length, later.length]).toEqual([1, 1, 1, watchers]);
        expect(ends[0]).toBe(order.outcome);
      }),
      { numRuns: 200 },
    );
  });
});
