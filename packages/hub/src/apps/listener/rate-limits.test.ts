import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { createRates, type RateLimits } from './rate-limits.ts';

/** One token every 100 ms. */
const LIMITS: RateLimits = { burst: 3, perSecond: 10, maxKeys: 8 };

function ratesAt(limits = LIMITS) {
  const clock = { at: 5_000 };
  const rates = createRates({ now: () => clock.at, limits });
  const takeMany = (key: string, count: number) => Array.from({ length: count }, () => rates.take(key));
  return { clock, rates, takeMany };
}

describe('rates', () => {
  it('allow a burst, and then report the wait', () => {
    const { takeMany } = ratesAt();
    const refusal = { retryAfterMs: 100 };
    expect(takeMany('a', 5)).toEqual([undefined, undefined, undefined, refusal, refusal]);
  });

  it('allow the next one after the reported wait, and not before', () => {
    const { clock, rates, takeMany } = ratesAt();
    takeMany('a', 3);
    clock.at += 99;
    expect(rates.take('a')).toEqual({ retryAfterMs: 1 });
    clock.at += 1;
    expect(rates.take('a')).toBeUndefined();
    expect(rates.take('a')).toEqual({ retryAfterMs: 100 });
  });

  it('save up at most one burst', () => {
    const { clock, takeMany } = ratesAt();
    takeMany('a', 3);
    clock.at += 60_000;
    expect(takeMany('a', 4).filter((each) => each === undefined)).toHaveLength(3);
  });

  it('count each key separately', () => {
    const { rates, takeMany } = ratesAt();
    takeMany('a', 4);
    expect(rates.take('b')).toBeUndefined();
  });

  it('round a wait up to a whole millisecond', () => {
    const { takeMany } = ratesAt({ burst: 1, perSecond: 3, maxKeys: 8 });
    expect(takeMany('a', 2)).toEqual([undefined, { retryAfterMs: 334 }]);
  });

  it('forget keys whose buckets are full again', () => {
    const { clock, rates } = ratesAt();
    for (const key of ['a', 'b', 'c']) rates.take(key);
    clock.at += 300;
    rates.take('d');
    clock.at += 300;
    rates.take('e');
    expect(rates.size).toBe(2);
  });

  it('remember keys whose buckets are not full', () => {
    const { clock, rates, takeMany } = ratesAt();
    rates.take('early');
    clock.at += 299;
    takeMany('a', 3);
    clock.at += 1;
    expect(rates.take('a')).toEqual({ retryAfterMs: 99 });
  });

  it('remember a limited number of keys, latest first', () => {
    const { rates, takeMany } = ratesAt();
    for (let count = 0; count < 1_000; count++) {
      expect(rates.take(`key ${count}`)).toBeUndefined();
      expect(rates.size).toBeLessThanOrEqual(LIMITS.maxKeys);
    }
    takeMany('late', 3);
    rates.take('another');
    expect(rates.take('late')).toBeDefined();
  });

  it('have room for the maximum number of sessions', () => {
    expect(DEFAULT_LIMITS.maxRateKeys / 2).toBeGreaterThan(DEFAULT_LIMITS.maxAppSessions);
  });

  it('never allow more than the burst and the regained tokens in any period', () => {
    const after = fc.constantFrom(0, 0, 0, 1, 30, 99, 100, 150, 400);
    const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b'), after }), { maxLength: 80 });
    fc.assert(
      fc.property(steps, (all) => {
        const { clock, rates } = ratesAt();
        const passed = new Map<string, number[]>();
        for (const { key, after: ms } of all) {
          clock.at += ms;
          const times = passed.get(key) ?? [];
          const refusal = rates.take(key);
          if (refusal === undefined) passed.set(key, [...times, clock.at]);
          // The wait is never longer than for the next token.
          else expect(refusal.retryAfterMs).toBeLessThanOrEqual(100);
        }
        for (const times of passed.values())
          for (const [from, start] of times.entries())
            for (const [to, end] of times.entries())
              if (to >= from) expect(to - from + 1).toBeLessThanOrEqual(3 + (end - start) / 100);
      }),
    );
  });
});
