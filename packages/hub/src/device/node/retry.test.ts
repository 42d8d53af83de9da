import { expect, it } from 'vitest';
import { retryMs } from './retry.ts';

it('retries after 1, 2, 4, 8, 15, 30 and then every 60 seconds, minus jitter', () => {
  const plain = Array.from({ length: 9 }, (_, attempt) => retryMs(attempt, 0) / 1_000);
  expect(plain).toEqual([1, 2, 4, 8, 15, 30, 60, 60, 60]);
  expect(retryMs(6, 1)).toBe(45_000);
});
