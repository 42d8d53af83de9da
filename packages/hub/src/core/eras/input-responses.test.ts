import { expect, it } from 'vitest';
import { readResponses } from './input-required.ts';

it('answers are read by their questions, as they came', () => {
  expect(readResponses('{"a":{"n": 1.0},"b":7}')).toEqual([
    { key: 'a', raw: '{"n": 1.0}' },
    { key: 'b', raw: '7' },
  ]);
});

it.each([undefined, '[]', 'null', '"x"', '7'])('what are no answers, %s, are none', (raw) => {
  expect(readResponses(raw)).toEqual([]);
});

it('of two answers to one question none is chosen', () => {
  expect(readResponses('{"a":{},"\\u0061":{}}')).toBeUndefined();
});
