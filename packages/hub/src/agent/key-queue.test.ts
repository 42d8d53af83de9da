import { expect, it } from 'vitest';
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
  await queue.run('a', async () => order.push('later'));
  expect(order.at(-1)).toBe('later');
});
