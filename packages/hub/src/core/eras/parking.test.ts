import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createParking, type Parkable } from './parking.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const LIMITS = { maxParkedCalls: 2, questionTimeoutMs: 1_000 };

function parkable(): Parkable & { expired: number } {
  const call = { server: 's', expired: 0, expire: () => void call.expired++ };
  return call;
}

describe('a parked call', () => {
  it('can be claimed once', () => {
    const parking = createParking(LIMITS);
    const call = parkable();
    const id = parking.park('a', call)!;
    expect(parking.claim('a', id)).toBe(call);
    expect(parking.claim('a', id)).toBeUndefined();
  });

  it("can be claimed only by its own caller, and another's attempt does not remove it", () => {
    const parking = createParking(LIMITS);
    const call = parkable();
    const id = parking.park('a', call)!;
    expect(parking.claim('b', id)).toBeUndefined();
    expect(parking.claim('', id)).toBeUndefined();
    expect(parking.claim('a', id)).toBe(call);
  });

  it('can be claimed only by its own id', () => {
    const parking = createParking(LIMITS);
    const [first, second] = [parkable(), parkable()];
    const [one, other] = [parking.park('a', first)!, parking.park('a', second)!];
    expect(one).not.toBe(other);
    for (const id of ['', 'x', `${one} `, one.toUpperCase(), '__proto__'])
      expect(parking.claim('a', id)).toBeUndefined();
    expect(parking.claim('a', other)).toBe(second);
    expect(parking.claim('a', one)).toBe(first);
  });

  it('expires once and is gone then', () => {
    const parking = createParking(LIMITS);
    const call = parkable();
    const id = parking.park('a', call)!;
    vi.advanceTimersByTime(999);
    expect(call.expired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(call.expired).toBe(1);
    expect(parking.claim('a', id)).toBeUndefined();
    vi.advanceTimersByTime(10_000);
    expect(call.expired).toBe(1);
  });

  it('expires with all others of its caller', () => {
    const parking = createParking(LIMITS);
    const [first, second, other] = [parkable(), parkable(), parkable()];
    for (const call of [first, second]) parking.park('a', call);
    const id = parking.park('b', other)!;
    parking.expireAll('a');
    expect([first.expired, second.expired, other.expired]).toEqual([1, 1, 0]);
    expect(parking.claim('b', id)).toBe(other);
    expect(parking.park('a', parkable())).toBeDefined();
  });

  it('does not expire after it was claimed', () => {
    const parking = createParking(LIMITS);
    const call = parkable();
    parking.claim('a', parking.park('a', call)!);
    vi.advanceTimersByTime(10_000);
    expect(call.expired).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('can be parked again under another id', () => {
    const parking = createParking(LIMITS);
    const call = parkable();
    const first = parking.park('a', call)!;
    parking.claim('a', first);
    const second = parking.park('a', call)!;
    expect(second).not.toBe(first);
    expect(parking.claim('a', first)).toBeUndefined();
    expect(parking.claim('a', second)).toBe(call);
  });
});

describe('the parked calls of a caller', () => {
  it('are limited, independent of other callers', () => {
    const parking = createParking(LIMITS);
    const id = parking.park('a', parkable())!;
    parking.park('a', parkable());
    expect(parking.park('a', parkable())).toBeUndefined();
    expect(parking.park('b', parkable())).toBeDefined();
    parking.claim('b', id);
    expect(parking.park('a', parkable())).toBeUndefined();
    parking.claim('a', id);
    expect(parking.park('a', parkable())).toBeDefined();
    expect(parking.park('a', parkable())).toBeUndefined();
  });

  it('free their places when they expire', () => {
    const parking = createParking(LIMITS);
    parking.park('a', parkable());
    parking.park('a', parkable());
    vi.advanceTimersByTime(1_000);
    expect(parking.park('a', parkable())).toBeDefined();
    expect(parking.park('a', parkable())).toBeDefined();
    expect(parking.park('a', parkable())).toBeUndefined();
  });

  it('are refused with a limit of zero', () => {
    expect(createParking({ ...LIMITS, maxParkedCalls: 0 }).park('a', parkable())).toBeUndefined();
  });

  it('can take the place of a call that is expiring', () => {
    const parking = createParking({ ...LIMITS, maxParkedCalls: 1 });
    let again: string | undefined;
    parking.park('a', { server: 's', expire: () => void (again = parking.park('a', parkable())) });
    vi.advanceTimersByTime(1_000);
    expect(again).toBeDefined();
  });

  it('expire oldest first when the caller needs room at that server', () => {
    const parking = createParking({ ...LIMITS, maxParkedCalls: 8 });
    const [other, elsewhere, first, second] = [parkable(), parkable(), parkable(), parkable()];
    parking.park('b', other);
    parking.park('a', Object.assign(elsewhere, { server: 't' }));
    const id = parking.park('a', first)!;
    parking.park('a', second);
    expect(parking.expireOldest('a', 's')).toBe(true);
    expect([other, elsewhere, first, second].map(({ expired }) => expired)).toEqual([0, 0, 1, 0]);
    expect(parking.claim('a', id)).toBeUndefined();
    expect(parking.expireOldest('a', 's')).toBe(true);
    expect(parking.expireOldest('a', 's')).toBe(false);
  });
});
