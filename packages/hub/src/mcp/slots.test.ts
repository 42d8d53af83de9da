import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSlots, type Slots } from './slots.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

/** Advances the time and runs what is due. */
const pass = (ms: number): Promise<void> => {
  vi.advanceTimersByTime(ms);
  return new Promise((resolve) => setImmediate(resolve));
};

const LIMITS = { maxCalls: 3, maxCallsPerCredential: 2, slotWaitMs: 50, maxStreamsPerCredential: 2 };

/** Takes slots under names, and records the result of each. */
const bench = (
  limits = LIMITS,
): { slots: Slots; events: string[]; take(holder: string, name?: string): void } => {
  const slots = createSlots(limits);
  const events: string[] = [];
  const take = (holder: string, name = holder): void =>
    slots.take(
      holder,
      () => events.push(`${name} in`),
      () => events.push(`${name} full`),
    );
  return { slots, events, take };
};

describe('slots', () => {
  it('are granted at once while some are free', () => {
    const { slots, events, take } = bench();
    take('a');
    take('b');
    take('a');
    expect(events).toEqual(['a in', 'b in', 'a in']);
    expect(slots.inUse).toBe(3);
  });

  it('a request without a slot waits, and is refused after 50 ms', async () => {
    const { events, take } = bench();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    await pass(49);
    expect(events).toEqual(['a in', 'b in', 'c in']);
    await pass(1);
    expect(events.at(-1)).toBe('d full');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a refused request holds nothing, and gets no slot later', async () => {
    const { slots, events, take } = bench();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    await pass(50);
    slots.release('a');
    slots.release('b');
    slots.release('c');
    expect(events).toEqual(['a in', 'b in', 'c in', 'd full']);
    expect(slots.inUse).toBe(0);
  });

  it('a waiting request gets the next free slot and is not refused', async () => {
    const { slots, events, take } = bench();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    await pass(30);
    slots.release('b');
    await pass(100);
    expect(events).toEqual(['a in', 'b in', 'c in', 'd in']);
    expect(slots.inUse).toBe(3);
  });

  it('a request at its deadline still gets a slot that is freed at that moment, and one answer only', async () => {
    const { slots, events, take } = bench();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    vi.advanceTimersByTime(50);
    slots.release('a');
    await pass(0);
    expect(events.slice(3)).toEqual(['d in']);
    expect(slots.inUse).toBe(3);
  });

  it('are granted in the order of requests', () => {
    const { slots, events, take } = bench();
    for (const holder of ['a', 'b', 'c']) take(holder);
    take('d', 'd1');
    take('e', 'e1');
    take('d', 'd2');
    slots.release('a');
    slots.release('b');
    slots.release('c');
    expect(events.slice(3)).toEqual(['d1 in', 'e1 in', 'd2 in']);
  });

  it('cannot all be taken by one credential', async () => {
    const { slots, events, take } = bench();
    take('a', 'a1');
    take('a', 'a2');
    take('a', 'a3');
    take('b', 'b1');
    expect(events).toEqual(['a1 in', 'a2 in', 'b1 in']);
    await pass(50);
    expect(events.at(-1)).toBe('a3 full');
    slots.release('b');
  });

  it('are not blocked by a credential above its own limit', () => {
    const { slots, events, take } = bench();
    take('a', 'a1');
    take('a', 'a2');
    take('b', 'b1');
    take('a', 'a3');
    take('c', 'c1');
    slots.release('b');
    expect(events.slice(3)).toEqual(['c1 in']);
    slots.release('a');
    expect(events.slice(3)).toEqual(['c1 in', 'a3 in']);
  });

  it('can be requested from within a callback', () => {
    const { slots, events } = bench({ ...LIMITS, maxCalls: 1 });
    slots.take(
      'a',
      () => events.push('a'),
      () => undefined,
    );
    slots.take(
      'b',
      () => {
        events.push('b');
        slots.release('b');
      },
      () => events.push('b full'),
    );
    slots.take(
      'c',
      () => events.push('c'),
      () => events.push('c full'),
    );
    slots.release('a');
    expect(events).toEqual(['a', 'b', 'c']);
    expect(slots.inUse).toBe(1);
  });

  it('never exceed a limit, and every request gets exactly one answer', async () => {
    const step = fc.oneof(
      fc.record({ take: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ release: fc.nat(20) }),
      fc.record({ wait: fc.integer({ min: 1, max: 60 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const slots = createSlots(LIMITS);
        const inside: string[] = [];
        let asked = 0;
        let answered = 0;
        let isWithin = true;
        const check = (): void => {
          const perHolder = ['a', 'b', 'c', 'd'].map(
            (each) => inside.filter((holder) => holder === each).length,
          );
          isWithin &&=
            slots.inUse === inside.length &&
            inside.length <= LIMITS.maxCalls &&
            perHolder.every((count) => count <= LIMITS.maxCallsPerCredential);
        };
        for (const each of steps) {
          if ('take' in each) {
            asked++;
            slots.take(
              each.take,
              () => {
                answered++;
                inside.push(each.take);
              },
              () => answered++,
            );
          } else if ('wait' in each) await pass(each.wait);
          else if (inside.length > 0) slots.release(inside.splice(each.release % inside.length, 1)[0]!);
          check();
        }
        await pass(LIMITS.slotWaitMs);
        while (inside.length > 0) slots.release(inside.pop()!);
        return isWithin && asked === answered && slots.inUse === 0;
      }),
      { numRuns: 200 },
    );
  });
});

describe('streams', () => {
  it('are counted per holder, and take no slot', () => {
    const { slots } = bench();
    const taken = ['a', 'a', 'a', 'b'].map((holder) => slots.streams.take(holder));
    expect(taken).toEqual([true, true, false, true]);
    expect([slots.streams.inUse, slots.inUse]).toEqual([3, 0]);
    slots.streams.release('a');
    expect(slots.streams.take('a')).toBe(true);
    for (const holder of ['a', 'a', 'b']) slots.streams.release(holder);
    expect(slots.streams.inUse).toBe(0);
  });
});

describe('a call that waits for a person', () => {
  it('gives its slot to a waiting request, and later takes one even if none is free', async () => {
    const { slots, events, take } = bench();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    expect(slots.pause('a')).toBe(true);
    expect(events).toEqual(['a in', 'b in', 'c in', 'd in']);
    expect([slots.inUse, slots.paused.inUse]).toEqual([3, 1]);
    slots.goOn('a');
    expect([slots.inUse, slots.paused.inUse]).toEqual([4, 0]);
    // No other request gets in until the count is below the limit again.
    take('e');
    slots.release('a');
    expect(events).not.toContain('e in');
    slots.release('b');
    expect(events).toContain('e in');
    for (const holder of ['c', 'd', 'e']) slots.release(holder);
    expect(slots.inUse).toBe(0);
  });

  it('keeps its slot if too many calls of its holder wait', () => {
    const { slots, take } = bench();
    for (let at = 0; at < LIMITS.maxCallsPerCredential; at++) {
      take('a');
      expect(slots.pause('a')).toBe(true);
    }
    take('a');
    expect(slots.pause('a')).toBe(false);
    expect([slots.inUse, slots.paused.inUse]).toEqual([1, 2]);
    slots.paused.release('a');
    expect(slots.pause('a')).toBe(true);
    expect([slots.inUse, slots.paused.inUse]).toEqual([0, 2]);
  });
});
