import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { exactArguments, exactArgumentsIn, matchesArguments, boundFiles } from './allowlist.ts';

const fits = (pattern: string, args: readonly string[]) => matchesArguments(pattern, ['git', ...args], '/a');

describe('argPattern', () => {
  test.each<[string, readonly string[], boolean]>([
    ['^status\0$', ['status'], true],
    ['^status\0$', ['status', '--short'], false],
    ['^status\0$', [], false],
    ['^\0\0$', [], true],
    ['^a b\0c\0$', ['a b', 'c'], true],
    ['^a\0b\0$', ['a b'], false],
    ['^log( .*)?$', ['log', '--oneline'], true],
    ['^log( .*)?$', ['log'], true],
    // A blank inside of a word could look like two words.
    ['^log .*$', ['log --exec=x'], false],
    ['^log .*$', ['log', ''], false],
    ['', [], true],
    ['(', ['('], false],
    ['[', [], false],
    ['sha256:other:00', ['x'], false],
  ])('%j for %j: %j', (pattern, args, expected) => expect(fits(pattern, args)).toBe(expected));

  test('the exact form is a hash of counts and lengths, as documented', () => {
    const subject = ['2', '1', 'a', '3', 'b c', ''].join('\0');
    const hash = createHash('sha256').update(subject).digest('hex');
    expect(exactArguments(['git', 'a', 'b c'])).toBe(`sha256:argv:${hash}`);
    expect(fits(`sha256:argv:${hash}`, ['a', 'b c'])).toBe(true);
    expect(fits(`sha256:argv:${hash}`, ['a', 'b', 'c'])).toBe(false);
    expect(fits(`sha256:argv:${hash.toUpperCase()}`, ['a', 'b c'])).toBe(false);
  });

  test('the exact form for a folder matches only in that folder', () => {
    const pattern = exactArgumentsIn(['git', 'a'], '/a');
    expect(pattern).toMatch(/^sha256:cwd-argv:v1:[0-9a-f]{64}$/);
    expect(matchesArguments(pattern, ['git', 'a'], '/a')).toBe(true);
    expect(matchesArguments(pattern, ['git', 'a'], '/b')).toBe(false);
    expect(matchesArguments(pattern, ['git', 'b'], '/a')).toBe(false);
  });

  test('an expression that would run forever is stopped and does not match', () => {
    expect(fits('^(a+)+$', ['a'.repeat(60) + '!'])).toBe(false);
    expect(fits('x'.repeat(5_000), ['x'.repeat(5_000)])).toBe(false);
  });

  test('neither the pattern nor the arguments can run code', () => {
    expect(fits(`'); globalThis.broken = true; ('`, ['x'])).toBe(false);
    expect(fits('x', ['${globalThis.broken = true}\u2028`"\'\\'])).toBe(false);
    expect(globalThis).not.toHaveProperty('broken');
  });
});

const isBound = (...argv: string[]): boolean => {
  const operands = argv.filter((word) => /[/\\]/.test(word)).map((path) => ({ path, sha256: path }));
  return boundFiles({ argv, path: argv[0]!, operands }) !== undefined;
};

test.each<string[][]>([
  [['/home/a/tool']],
  [['/usr/local/bin/tool']],
  [['/opt/homebrew/bin/tool']],
  [[String.raw`C:\Windows\Temp\tool.exe`]],
  [['/usr/bin/python3', '/home/a/job.py']],
  [['/usr/bin/nice', '/home/a/tool']],
  [['/usr/bin/flock', '/tmp/lock', '/home/a/tool']],
  [['/usr/bin/tar', '-I', '/home/a/tool', '-xf', 'a.tar']],
])('%j is bound to its files', (argv) => expect(isBound(...argv)).toBe(true));

test.each<string[][]>([
  [['/usr/bin/git', 'status']],
  [['/opt/tool/bin/tool']],
  [[String.raw`C:\Windows\System32\whoami.exe`]],
  [['/usr/bin/cat', '/home/a/notes']],
  [['/usr/bin/tar', '-xf', '/home/a/a.tar']],
  [['/usr/bin/python3', '/usr/share/job.py']],
])('%j is not bound: only an administrator can change its files, or it only reads them', (argv) =>
  expect(isBound(...argv)).toBe(false),
);
