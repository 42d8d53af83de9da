import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSlots, type Slots } from './slots.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

/** Time passes, and whatever was due is done. */
const pass = (ms: number): Promise<void> => {
  vi.advanceTimersByTime(ms);
  return new Promise((resolve) => setImmediate(resolve));
};

const LIMITS = { maxCalls: 3, maxCallsPerCredential: 2, slotWaitMs: 50, maxStreamsPerCredential: 2 };

/** Takes slots under names, and writes down what became of each. */
const desk = (
  limits = LIMITS,
): { slots: Slots; told: string[]; take(holder: string, name?: string): void } => {
  const slots = createSlots(limits);
  const told: string[] = [];
  const take = (holder: string, name = holder): void =>
    slots.take(
      holder,
      () => told.push(`${name} in`),
      () => told.push(`${name} full`),
    );
  return { slots, told, take };
};

describe('slots', () => {
  it('are given at once while there are any', () => {
    const { slots, told, take } = desk();
    take('a');
    take('b');
    take('a');
    expect(told).toEqual(['a in', 'b in', 'a in']);
    expect(slots.inUse).toBe(3);
  });

  it('a request beyond them waits, and is turned away after 50 ms', async () => {
    const { told, take } = desk();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    await pass(49);
    expect(told).toEqual(['a in', 'b in', 'c in']);
    await pass(1);
    expect(told.at(-1)).toBe('d full');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('who is turned away holds nothing, and gets no slot later', async () => {
    const { slots, told, take } = desk();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    await pass(50);
    slots.release('a');
    slots.release('b');
    slots.release('c');
    expect(told).toEqual(['a in', 'b in', 'c in', 'd full']);
    expect(slots.inUse).toBe(0);
  });

  it('who waits gets the next free slot, and is not turned away then', async () => {
    const { slots, told, take } = desk();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    await pass(30);
    slots.release('b');
    await pass(100);
    expect(told).toEqual(['a in', 'b in', 'c in', 'd in']);
    expect(slots.inUse).toBe(3);
  });

  it('who has waited its time still gets a slot that became free in the same moment, and one answer only', async () => {
    const { slots, told, take } = desk();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    vi.advanceTimersByTime(50);
    slots.release('a');
    await pass(0);
    expect(told.slice(3)).toEqual(['d in']);
    expect(slots.inUse).toBe(3);
  });

  it('are given in the order of asking', () => {
    const { slots, told, take } = desk();
    for (const holder of ['a', 'b', 'c']) take(holder);
    take('d', 'd1');
    take('e', 'e1');
    take('d', 'd2');
    slots.release('a');
    slots.release('b');
    slots.release('c');
    expect(told.slice(3)).toEqual(['d1 in', 'e1 in', 'd2 in']);
  });

  it('one credential cannot take them all', async () => {
    const { slots, told, take } = desk();
    take('a', 'a1');
    take('a', 'a2');
    take('a', 'a3');
    take('b', 'b1');
    expect(told).toEqual(['a1 in', 'a2 in', 'b1 in']);
    await pass(50);
    expect(told.at(-1)).toBe('a3 full');
    slots.release('b');
  });

  it('who is over its own limit does not keep others from a free slot', () => {
    const { slots, told, take } = desk();
    take('a', 'a1');
    take('a', 'a2');
    take('b', 'b1');
    take('a', 'a3');
    take('c', 'c1');
    slots.release('b');
    expect(told.slice(3)).toEqual(['c1 in']);
    slots.release('a');
    expect(told.slice(3)).toEqual(['c1 in', 'a3 in']);
  });

  it('may be asked for again from within', () => {
    const { slots, told } = desk({ ...LIMITS, maxCalls: 1 });
    slots.take(
      'a',
      () => told.push('a'),
      () => undefined,
    );
    slots.take(
      'b',
      () => {
        told.push('b');
        slots.release('b');
      },
      () => told.push('b full'),
    );
    slots.take(
      'c',
      () => told.push('c'),
      () => told.push('c full'),
    );
    slots.release('a');
    expect(told).toEqual(['a', 'b', 'c']);
    expect(slots.inUse).toBe(1);
  });

  it('never exceed a limit, and everybody gets exactly one answer', async () => {
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
  it('are counted for each holder alone, and take no slot', () => {
    const { slots } = desk();
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
  it('gives its slot to whoever waits for one, and takes one again whatever is free', async () => {
    const { slots, told, take } = desk();
    for (const holder of ['a', 'b', 'c', 'd']) take(holder);
    expect(slots.pause('a')).toBe(true);
    expect(told).toEqual(['a in', 'b in', 'c in', 'd in']);
    expect([slots.inUse, slots.paused.inUse]).toEqual([3, 1]);
    slots.goOn('a');
    expect([slots.inUse, slots.paused.inUse]).toEqual([4, 0]);
    // Until there are as few again as there may be, nobody else gets in.
    take('e');
    slots.release('a');
    expect(told).not.toContain('e in');
    slots.release('b');
    expect(told).toContain('e in');
    for (const holder of ['c', 'd', 'e']) slots.release(holder);
    expect(slots.inUse).toBe(0);
  });

  it('keeps its slot where too many calls of its holder wait', () => {
    const { slots, take } = desk();
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
