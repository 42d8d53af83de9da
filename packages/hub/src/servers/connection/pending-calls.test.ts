import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandExchange, toolRequest } from '../../../../../test/kit/fake-wire.ts';
import { PendingCalls, type PendingCall } from './pending-calls.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const TIMEOUT = 1_000;

interface Bench {
  readonly calls: PendingCalls;
  /** Ids of expired calls, with the time. */
  readonly expired: string[];
  add(id: string, timeoutMs?: number): PendingCall;
}

function bench(): Bench {
  const expired: string[] = [];
  const begunAt = Date.now();
  const calls = new PendingCalls({
    clock: { now: () => Date.now(), elapsed: () => Date.now() },
    onExpired(call) {
      expired.push(`${call.id}@${Date.now() - begunAt}`);
      calls.take(call.id);
    },
  });
  return {
    calls,
    expired,
    add(id, timeoutMs = TIMEOUT) {
      const call: PendingCall = {
        id,
        request: toolRequest(),
        exchange: new HandExchange(),
        progressToken: undefined,
        deadline: Date.now() + timeoutMs,
        timeoutMs,
        endsBy: Infinity,
        held: undefined,
        questions: 0,
      };
      calls.add(call);
      return call;
    },
  };
}

const idsOf = (calls: Iterable<PendingCall>): string[] => [...calls].map(({ id }) => id);

describe('the deadline of a call', () => {
  it('is suspended while its client is asked, for any time', () => {
    const { calls, expired, add } = bench();
    const call = add('a');
    calls.questionAsked(call);
    vi.advanceTimersByTime(100 * TIMEOUT);
    expect(expired).toEqual([]);
    expect([calls.size, calls.get('a')]).toEqual([1, call]);
  });

  it('restarts only when the last question has ended', () => {
    const { calls, expired, add } = bench();
    const call = add('a');
    vi.advanceTimersByTime(900);
    calls.questionAsked(call);
    calls.questionAsked(call);
    vi.advanceTimersByTime(5_000);
    calls.questionEnded(call);
    vi.advanceTimersByTime(5_000);
    expect(expired).toEqual([]);
    calls.questionEnded(call);
    vi.advanceTimersByTime(TIMEOUT - 1);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual(['a@11900']);
  });

  it('of other calls continues meanwhile', () => {
    const { calls, expired, add } = bench();
    const asked = add('asked');
    vi.advanceTimersByTime(100);
    add('other');
    calls.questionAsked(asked);
    vi.advanceTimersByTime(5_000);
    expect(expired).toEqual(['other@1100']);
    calls.questionEnded(asked);
    vi.advanceTimersByTime(5_000);
    expect(expired).toEqual(['other@1100', 'asked@6100']);
  });

  it('stays in order when a call resumes among younger ones', () => {
    const { calls, expired, add } = bench();
    const old = add('old');
    calls.questionAsked(old);
    vi.advanceTimersByTime(500);
    add('young');
    vi.advanceTimersByTime(100);
    calls.questionEnded(old);
    vi.advanceTimersByTime(5_000);
    expect(expired).toEqual(['young@1500', 'old@1600']);
  });

  it('is not moved by progress while it is suspended', () => {
    const { calls, expired, add } = bench();
    const call = add('a');
    calls.questionAsked(call);
    calls.prolong(call);
    vi.advanceTimersByTime(5_000);
    expect(expired).toEqual([]);
    expect(calls.size).toBe(1);
  });

  it('is separate: a call with a longer one delays no other', () => {
    const { calls, expired, add } = bench();
    const patient = add('patient', 10 * TIMEOUT);
    vi.advanceTimersByTime(100);
    add('usual');
    vi.advanceTimersByTime(1_100);
    calls.prolong(patient);
    vi.advanceTimersByTime(20 * TIMEOUT);
    expect(expired).toEqual(['usual@1100', 'patient@11200']);
  });

  it('is moved by progress', () => {
    const { calls, expired, add } = bench();
    const call = add('a');
    add('b');
    vi.advanceTimersByTime(999);
    calls.prolong(call);
    vi.advanceTimersByTime(5_000);
    expect(expired).toEqual(['b@1000', 'a@1999']);
  });

  it('is moved by progress only up to the call’s maximum', () => {
    const { calls, expired, add } = bench();
    const call = { ...add('a'), endsBy: Date.now() + 2_500 };
    calls.take('a');
    calls.add(call);
    for (let round = 0; round < 5; round++) {
      vi.advanceTimersByTime(900);
      calls.prolong(call);
    }
    expect(expired).toEqual(['a@1900']);
  });

  it('is not restored by a question of a finished call', () => {
    const { calls, expired, add } = bench();
    const call = add('a');
    calls.questionAsked(call);
    expect(calls.take('a')).toBe(call);
    calls.questionEnded(call);
    calls.prolong(call);
    vi.advanceTimersByTime(5_000);
    expect(expired).toEqual([]);
    expect([calls.size, calls.get('a')]).toEqual([0, undefined]);
  });

  it('needs no timer while all calls are suspended, or none runs', () => {
    const { calls, add } = bench();
    const call = add('a');
    calls.questionAsked(call);
    vi.advanceTimersByTime(TIMEOUT);
    expect(vi.getTimerCount()).toBe(0);
    calls.questionEnded(call);
    expect(vi.getTimerCount()).toBe(1);
    calls.take('a');
    vi.advanceTimersByTime(TIMEOUT);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the calls of a connection', () => {
  it('can be taken once', () => {
    const { calls, add } = bench();
    const call = add('a');
    calls.questionAsked(add('b'));
    expect(calls.take('a')).toBe(call);
    expect(calls.take('a')).toBeUndefined();
    expect(calls.take('b')?.id).toBe('b');
    expect(calls.take('b')).toBeUndefined();
    expect(calls.take('c')).toBeUndefined();
  });

  it('are all iterated, including suspended ones', () => {
    const { calls, add } = bench();
    add('a');
    calls.questionAsked(add('b'));
    add('c');
    expect(idsOf(calls).toSorted()).toEqual(['a', 'b', 'c']);
    expect(calls.size).toBe(3);
  });

  it('are all removed at once, with their timer', () => {
    const { calls, expired, add } = bench();
    add('a');
    calls.questionAsked(add('b'));
    expect(
      calls
        .takeAll()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['a', 'b']);
    expect([calls.size, vi.getTimerCount()]).toEqual([0, 0]);
    add('c');
    vi.advanceTimersByTime(TIMEOUT);
    expect(expired).toEqual([`c@${TIMEOUT}`]);
  });
});

/** Events of one of three calls. */
type Step = readonly ['add' | 'take' | 'prolong' | 'ask' | 'end', number] | readonly ['wait', number];

it('each call expires at its own deadline, not counting suspended time, in any order of events', () => {
  const step = fc.oneof(
    fc.tuple(
      fc.constantFrom('add' as const, 'take' as const, 'prolong' as const, 'ask' as const, 'end' as const),
      fc.nat(2),
    ),
    fc.tuple(fc.constant('wait' as const), fc.integer({ min: 1, max: 1_500 })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps: readonly Step[]) => {
      const { calls, expired, add } = bench();
      const begunAt = Date.now();
      const known = new Map<string, { call: PendingCall; due: number; questions: number }>();
      const expected: string[] = [];
      let made = 0;
      /** The expected expiries, in order of their deadlines. */
      const expireByHand = (until: number): void => {
        const due = [...known].filter(([, each]) => each.questions === 0 && each.due <= until);
        for (const [id, each] of due.sort(([, a], [, b]) => a.due - b.due)) {
          expected.push(`${id}@${each.due - begunAt}`);
          known.delete(id);
        }
      };
      for (const [what, value] of steps) {
        if (what === 'wait') {
          expireByHand(Date.now() + value);
          vi.advanceTimersByTime(value);
          continue;
        }
        if (what === 'add') {
          const id = `c${made++}`;
          known.set(id, { call: add(id), due: Date.now() + TIMEOUT, questions: 0 });
          continue;
        }
        const [id, each] = [...known][value] ?? [];
        if (id === undefined || each === undefined) continue;
        if (what === 'take') {
          calls.take(id);
          known.delete(id);
        } else if (what === 'prolong') {
          calls.prolong(each.call);
          each.due = Date.now() + TIMEOUT;
        } else if (what === 'ask') {
          calls.questionAsked(each.call);
          each.questions++;
        } else if (each.questions > 0) {
          calls.questionEnded(each.call);
          if (--each.questions === 0) each.due = Date.now() + TIMEOUT;
        }
      }
      expect(idsOf(calls).toSorted()).toEqual([...known.keys()].toSorted());
      expireByHand(Infinity);
      vi.advanceTimersByTime(100 * TIMEOUT);
      expect(expired.toSorted()).toEqual(expected.toSorted());
      calls.takeAll();
      expect(vi.getTimerCount()).toBe(0);
    }),
  );
});
