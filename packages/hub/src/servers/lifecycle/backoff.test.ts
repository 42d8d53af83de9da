import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BACKOFF, backoffMs } from './backoff.ts';

describe('backoffMs', () => {
  it('doubles from 1 s to 60 s', () => {
    expect([...Array(9).keys()].map((attempt) => backoffMs(attempt, 0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });

  it('has a random reduction of at most a quarter', () => {
    expect(backoffMs(0, 1)).toBe(750);
    expect(backoffMs(9, 0.5)).toBe(52_500);
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.nat(10_000), random, (attempt, chance) => {
        const whole = backoffMs(attempt, 0);
        const waited = backoffMs(attempt, chance);
        return waited <= whole && waited >= whole * (1 - BACKOFF.jitter) && waited <= BACKOFF.maxMs;
      }),
    );
  });
});
