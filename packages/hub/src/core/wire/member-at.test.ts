import { expect, it } from 'vitest';
import { memberAt, DuplicateKeyError } from './members.ts';

const TEXT = '{"a":{"b": {"c": 1.0 } },"s":"{}","l":[{"b":1}]}';

it.each<[string[], string | undefined]>([
  [[], TEXT],
  [['a', 'b', 'c'], '1.0'],
  [['a', 'b'], '{"c": 1.0 }'],
  [['a', 'x', 'c'], undefined],
  [['s', 'x'], undefined],
  [['l', '0'], undefined],
  [['toString'], undefined],
])('%j leads to %s', (path, value) => {
  expect(memberAt(TEXT, path)).toBe(value);
});

it('throws on a duplicate key', () => {
  expect(() => memberAt('{"a":{"b":1,"b":2}}', ['a', 'b'])).toThrow(DuplicateKeyError);
  expect(memberAt('{"a":{"b":1,"b":2}}', ['a'])).toBe('{"b":1,"b":2}');
});
