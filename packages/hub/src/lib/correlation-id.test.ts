import { expect, it } from 'vitest';
import { correlationId } from './correlation-id.ts';

it('is 128 random bits and unique over many batches', () => {
  const ids = Array.from({ length: 5_000 }, correlationId);
  expect(new Set(ids).size).toBe(5_000);
  expect(ids.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([]);
});
