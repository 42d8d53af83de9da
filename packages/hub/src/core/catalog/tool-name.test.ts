import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../../test/kit/any-text.ts';
import { hashedName, isPrefix, MAX_PREFIX, MAX_TOOL_NAME, naturalName } from './tool-name.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const LAWFUL = /^[A-Za-z0-9_-]{1,64}$/;

const prefix = fc
  .string({ unit: fc.constantFrom('a', 'B', '1', '_', '-'), minLength: 1, maxLength: MAX_PREFIX })
  .filter(isPrefix);
const tool = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '_', '-', '9'), minLength: 1, maxLength: 40 }),
  anyText(90, 1),
);

describe('isPrefix', () => {
  it.each(['a', 'A1', 'github', 'a_b', 'a-', 'a-b_c', '9', 'x'.repeat(30), ''])('accepts %j', (text) => {
    expect(isPrefix(text)).toBe(true);
  });

  it.each(['a__b', 'a_', '_a', '-a', 'a b', 'a.b', 'ä', 'a\n', '__', 'x'.repeat(31), 'a/b', '../a', 'аpi'])(
    'refuses %j',
    (text) => {
      expect(isPrefix(text)).toBe(false);
    },
  );
});

describe('naturalName', () => {
  it('joins with two underscores, or not at all', () => {
    expect(naturalName('tavily', 'search')).toBe('tavily__search');
    expect(naturalName('', 'search')).toBe('search');
    expect(naturalName('a', '_b')).toBe('a___b');
  });

  it('returns undefined for invalid names', () => {
    expect(naturalName('a', 'screen.snapshot')).toBeUndefined();
    expect(naturalName('a', 'größe')).toBeUndefined();
    expect(naturalName('a', 'b\n')).toBeUndefined();
    expect(naturalName('a', 'b'.repeat(61))).toHaveLength(MAX_TOOL_NAME);
    expect(naturalName('a', 'b'.repeat(62))).toBeUndefined();
  });

  it('is injective over prefixes and tools', () => {
    fc.assert(
      fc.property(prefix, tool, prefix, tool, (prefixA, toolA, prefixB, toolB) => {
        const a = naturalName(prefixA, toolA);
        const b = naturalName(prefixB, toolB);
        return a === undefined || a !== b || (prefixA === prefixB && toolA === toolB);
      }),
      { numRuns: atDepth(200, 2_000) },
    );
  });

  it('can be split at its first two underscores', () => {
    fc.assert(
      fc.property(prefix, tool, (before, after) => {
        const name = naturalName(before, after);
        if (name === undefined) return true;
        const at = name.indexOf('__');
        return name.slice(0, at) === before && name.slice(at + 2) === after;
      }),
    );
  });
});

describe('hashedName', () => {
  it('is valid for any prefix and tool, and ends with the hash', () => {
    fc.assert(
      fc.property(fc.oneof(prefix, fc.constant('')), tool, fc.constantFrom(8, 12, 32), (a, b, length) => {
        const hash = '0123456789abcdef0123456789abcdef'.slice(0, length);
        const name = hashedName(a, b, hash);
        return LAWFUL.test(name) && name.endsWith(`_${hash}`);
      }),
    );
  });

  it('keeps as much of the name as fits', () => {
    expect(hashedName('app', 'screen.snapshot', 'deadbeef')).toBe('app__screen_snapshot_deadbeef');
    expect(hashedName('a', 'b'.repeat(100), 'deadbeef')).toBe(`a__${'b'.repeat(52)}_deadbeef`);
  });
});

it('a name without a prefix never looks prefixed', () => {
  expect(hashedName('', 'github__create_issue', 'abc')).toBe('github_create_issue_abc');
  fc.assert(fc.property(tool, (name) => !hashedName('', name, 'abcd1234').includes('__')));
});
