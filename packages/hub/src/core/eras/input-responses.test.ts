import { expect, it } from 'vitest';
import { readResponses } from './input-required.ts';

it('reads answers by key, in their original bytes', () => {
  expect(readResponses('{"a":{"n": 1.0},"b":7}')).toEqual([
    { key: 'a', raw: '{"n": 1.0}' },
    { key: 'b', raw: '7' },
  ]);
});

it.each([undefined, '[]', 'null', '"x"', '7'])('reads no answers from %s', (raw) => {
  expect(readResponses(raw)).toEqual([]);
});

it('returns undefined for two answers to one question', () => {
  expect(readResponses('{"a":{},"\\u0061":{}}')).toBeUndefined();
});
