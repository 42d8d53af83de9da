import { expect, test } from 'vitest';
import { matchesGlob, matchesPath } from './glob.ts';

test.each([
  ['*', '', true],
  ['*', 'anything at all', true],
  ['echo *', 'echo a', true],
  ['echo *', 'echo', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['*b*', 'abc', true],
  ['a*b*c', 'a--b--c', true],
  ['a*b*c', 'a--c--b', false],
  ['', '', true],
  ['', 'a', false],
  ['a.c', 'abc', false],
])('%s matches %j: %j', (pattern, text, expected) => expect(matchesGlob(pattern, text)).toBe(expected));

test.each([
  ['/usr/bin/git', '/usr/bin/git', true],
  ['/usr/bin/git', '/usr/bin/gitk', false],
  ['/usr/bin/*', '/usr/bin/git', true],
  ['/usr/*', '/usr/bin/git', false],
  ['/usr/**', '/usr/bin/git', true],
  ['/**/git', '/usr/local/bin/git', true],
  ['/**/git', '/git', true],
  ['/usr/**/bin/git', '/usr/bin/git', true],
  ['/usr**', '/usr/bin', false],
  ['/usr/bin/g?t', '/usr/bin/git', true],
  ['/usr?bin', '/usr/bin', false],
  ['/Usr/bin/git', '/usr/bin/git', false],
])('the path pattern %s matches %s: %j', (pattern, path, expected) =>
  expect(matchesPath(pattern, path)).toBe(expected),
);

test('pathological patterns are fast', () => {
  expect(matchesGlob(`${'*a'.repeat(500)}b`, 'a'.repeat(4_000))).toBe(false);
  expect(matchesPath('/**'.repeat(200), '/a'.repeat(1_000))).toBe(true);
});
