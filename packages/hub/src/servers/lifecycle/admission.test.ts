import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { createAdmission } from '../server-sources.ts';

interface Attempt {
  readonly name: number;
  readonly done: PromiseWithResolvers<number>;
  readonly outcome: Promise<unknown>;
}

/** Starts attempts, and tracks which are running. */
function open(max: number, count: number): { attempts: Attempt[]; running: Set<number>; peak: () => number } {
  const admit = createAdmission(max);
  const running = new Set<number>();
  let most = 0;
  const attempts = [...Array(count).keys()].map((name): Attempt => {
    const done = Promise.withResolvers<number>();
    const outcome = admit(async () => {
      running.add(name);
      most = Math.max(most, running.size);
      try {
        return await done.promise;
      } finally {
        running.delete(name);
      }
    });
    outcome.catch(() => undefined);
    return { name, done, outcome };
  });
  return { attempts, running, peak: () => most };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('createAdmission', () => {
  it('runs a limited number at once, and the others in turn', async () => {
    verifies('004-12.2-max-concurrent');
    const { attempts, running, peak } = open(2, 5);
    await settled();
    expect([...running]).toEqual([0, 1]);
    attempts[1]!.done.resolve(1);
    await settled();
    expect([...running]).toEqual([0, 2]);
    for (const { done, name } of attempts) done.resolve(name);
    expect(await Promise.all(attempts.map(({ outcome }) => outcome))).toEqual([0, 1, 2, 3, 4]);
    expect(peak()).toBe(2);
    expect(running.size).toBe(0);
  });

  it('frees a place when an attempt fails', async () => {
    const { attempts, running } = open(1, 3);
    attempts[0]!.done.reject(new Error('no'));
    await expect(attempts[0]!.outcome).rejects.toThrow('no');
    await settled();
    expect([...running]).toEqual([1]);
    attempts[1]!.done.reject(new Error('no'));
    attempts[2]!.done.resolve(2);
    expect(await attempts[2]!.outcome).toBe(2);
  });

  it('has its full capacity after all attempts', async () => {
    const admit = createAdmission(1);
    for (let round = 0; round < 3; round++) {
      const order: string[] = [];
      await Promise.all(['a', 'b', 'c'].map((name) => admit(async () => void order.push(name))));
      expect(order).toEqual(['a', 'b', 'c']);
    }
  });

  it('frees a place when an attempt throws at once', async () => {
    const admit = createAdmission(1);
    const broken = (): Promise<never> => {
      throw new Error('at once');
    };
    await expect(admit(broken)).rejects.toThrow('at once');
    expect(await admit(async () => 'fine')).toBe('fine');
  });
});

it('passes a place on when an attempt takes too long', async () => {
  const admit = createAdmission(1, 20);
  const silent = Promise.withResolvers<string>();
  const first = admit(() => silent.promise);
  await expect(admit(async () => 'second')).resolves.toBe('second');
  await expect(admit(async () => 'third')).resolves.toBe('third');
  silent.resolve('first');
  await expect(first).resolves.toBe('first');
  await expect(admit(async () => 'fourth')).resolves.toBe('fourth');
});
