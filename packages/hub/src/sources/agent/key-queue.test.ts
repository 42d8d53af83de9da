import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createKeyQueue } from './key-queue.ts';

it('turns of one key come one after the other, those of others do not wait', async () => {
  const queue = createKeyQueue();
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const failing = queue.run('a', async () => {
    await first.promise;
    order.push('first');
    throw new Error('failed');
  });
  const second = queue.run('a', async () => order.push('second'));
  await queue.run('b', async () => order.push('other'));
  expect(order).toEqual(['other']);
  first.resolve();
  await expect(failing).rejects.toThrow('failed');
  await second;
  expect(order).toEqual(['other', 'first', 'second']);
});

describe('what nobody wants any more', () => {
  const reason = new Error('not wanted');

  it('never begins where it waits, and nobody comes earlier for it', async () => {
    const queue = createKeyQueue();
    const first = Promise.withResolvers<void>();
    const caller = new AbortController();
    const order: string[] = [];
    const running = queue.run('a', () => first.promise);
    const waiting = queue.run('a', async () => order.push('waiting'), caller.signal);
    const next = queue.run('a', async () => order.push('next'));
    caller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(queue.run('a', async () => order.push('late'), caller.signal)).rejects.toBe(reason);
    await expect(queue.run('b', async () => order.push('other'), caller.signal)).rejects.toBe(reason);
    await setImmediate();
    expect(order).toEqual([]);
    first.resolve();
    await Promise.all([running, next]);
    expect(order).toEqual(['next']);
  });

  it('ends by itself where it has begun', async () => {
    const queue = createKeyQueue();
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<string>();
    const caller = new AbortController();
    const work = (): Promise<string> => {
      begun.resolve();
      return goOn.promise;
    };
    const running = queue.run('a', work, caller.signal);
    await begun.promise;
    caller.abort(reason);
    goOn.resolve('done');
    expect(await running).toBe('done');
  });
});
