import { describe, expect, it } from 'vitest';
import { valueAt } from './record.ts';

describe('valueAt', () => {
  const value = { a: { b: [1, { c: null }] }, text: 'x' };

  it.each<[PropertyKey[], unknown]>([
    [[], value],
    [['a', 'b', 0], 1],
    [['a', 'b', '1', 'c'], null],
    [['a', 'x'], undefined],
    [['a', 'b', 1, 'c', 'd'], undefined],
    [['text', 0], undefined],
    [['toString'], undefined],
    [['__proto__'], undefined],
  ])('returns the value at %j', (path, expected) => expect(valueAt(value, path)).toBe(expected));
});
