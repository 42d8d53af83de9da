import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { readRequest, type RunArguments, splitCommand } from './read-request.ts';

const read = (args: RunArguments, limits = {}) =>
  readRequest(args, 'linux', { ...DEFAULT_LIMITS, ...limits });
const problem = (args: RunArguments) => {
  const request = read(args);
  return 'problem' in request ? (request.problem.text ?? request.problem.reason) : undefined;
};

describe('a valid request', () => {
  test.each([
    [{ command: ['git', 'status'] }, ['git', 'status']],
    [{ command: 'git status' }, ['git', 'status']],
    [{ command: 'rm', args: ['-rf', '/tmp/a b'] }, ['rm', '-rf', '/tmp/a b']],
    [{ command: ['echo', '$HOME', '|', '`id`'] }, ['echo', '$HOME', '|', '`id`']],
    [{ command: ['echo', ''] }, ['echo', '']],
    [{ command: ['git', 'status'], args: null, cwd: null, env: null, shell: null }, ['git', 'status']],
  ])('%j', (args, argv) => {
    expect(read(args)).toEqual({ argv, cwd: undefined, env: {}, timeoutMs: 30_000 });
  });

  test.each([
    [undefined, 30_000],
    [0, 30_000],
    [-5, 30_000],
    ['5', 30_000],
    [Number.NaN, 30_000],
    [1, 1],
    [0.2, 1],
    [5_000, 5_000],
    [1e9, 600_000],
  ])('a timeout of %j is %j', (timeoutMs, expected) => {
    expect(read({ command: ['a'], timeoutMs })).toMatchObject({ timeoutMs: expected });
    expect(read({ command: ['a'], timeout: timeoutMs })).toMatchObject({ timeoutMs: expected });
  });

  test('the timeout is limited by the configuration', () => {
    const timeoutOf = (timeoutMs: number | undefined, limits: object) =>
      read({ command: ['a'], timeoutMs }, limits);
    expect(timeoutOf(undefined, { runTimeoutMs: 5 })).toMatchObject({ timeoutMs: 5 });
    expect(timeoutOf(1e9, { maxRunTimeoutMs: 7 })).toMatchObject({ timeoutMs: 7 });
    expect(timeoutOf(undefined, { maxRunTimeoutMs: 7 })).toMatchObject({ timeoutMs: 7 });
  });

  test('variables and a folder', () => {
    expect(read({ command: ['a'], env: { A: 'b', C: '' }, cwd: '/tmp' })).toMatchObject({
      env: { A: 'b', C: '' },
      cwd: '/tmp',
    });
  });
});

describe('an invalid request is refused with the reasons of other nodes', () => {
  test.each<[RunArguments, string]>([
    [{}, 'Missing command parameter'],
    [{ command: '' }, 'Missing command parameter'],
    [{ command: '  ' }, 'Missing command parameter'],
    [{ command: [] }, 'Missing command parameter'],
    [{ command: null }, 'Missing command parameter'],
    [{ command: 5 }, 'malformed-command'],
    [{ command: ['a', 5] }, 'malformed-command'],
    [{ command: ['a', 'b\0'] }, 'malformed-command'],
    [{ command: ['a', '\ud800'] }, 'malformed-command'],
    [{ command: 'a \ud800' }, 'malformed-command'],
    [{ command: 'a', args: ['\udc00'] }, 'malformed-command'],
    [{ command: ['a'], cwd: '/\ud800' }, 'malformed-cwd'],
    [{ command: ['a'], env: { A: '\ud800' } }, 'malformed-env'],
    [{ command: ['a'], env: { '\ud800': 'a' } }, 'malformed-env'],
    [{ command: ['a'], args: ['b'] }, 'malformed-command'],
    [{ command: 'a', args: 'b' }, 'malformed-command'],
    [{ command: 'a', args: [1] }, 'malformed-command'],
    [{ command: [''] }, 'empty-command'],
    [{ command: [' ', 'a'] }, 'empty-command'],
    [{ command: 'a | b' }, 'shell-syntax'],
    [{ command: 'a', shell: 'bash' }, 'shell-not-supported'],
    [{ command: ['a'], shell: '' }, 'shell-not-supported'],
    [{ command: ['a'], cwd: 5 }, 'malformed-cwd'],
    [{ command: ['a'], cwd: '/a\0' }, 'malformed-cwd'],
    [{ command: ['a'], cwd: ' ' }, 'empty-cwd'],
    [{ command: ['a'], env: [] }, 'malformed-env'],
    [{ command: ['a'], env: 'A=b' }, 'malformed-env'],
    [{ command: ['a'], env: { A: 1 } }, 'malformed-env'],
    [{ command: ['a'], env: { A: 'b\0c' } }, 'malformed-env'],
    [
      { command: ['a'], env: { OK: '1', LD_PRELOAD: 'x', Path: '/' } },
      'Unsafe environment variable override blocked: LD_PRELOAD, Path',
    ],
    [{ command: ['a'], rawCommand: 5 }, 'malformed-raw-command'],
    [{ command: ['git', 'status'], rawCommand: 'git log' }, 'raw-command-mismatch'],
    [{ command: ['sh', '-c', 'id', 'x'], rawCommand: 'id' }, 'raw-command-mismatch'],
    [{ command: ['env', 'sh', '-c', 'id'], rawCommand: 'id' }, 'raw-command-mismatch'],
  ])('%j: %s', (args, text) => expect(problem(args)).toBe(text));

  test.each<[readonly string[], string]>([
    [['git', 'status'], 'git status'],
    [['echo', 'a b'], 'echo "a b"'],
    [['echo', 'a|b'], 'echo "a|b"'],
    [['echo', 'a|b'], 'echo a|b'],
    [['echo', 'say "hi"'], String.raw`echo "say \"hi\""`],
    [['/bin/sh', '-lc', 'ls | wc -l'], 'ls | wc -l'],
    [['cmd.exe', '/d', '/s', '/c', 'dir'], 'dir'],
  ])('%j accepts the raw command %s', (command, rawCommand) => {
    expect(read({ command, rawCommand })).toMatchObject({ argv: command });
  });
});

test.each<[string, RunArguments]>([
  ['words of a list', { command: Array.from({ length: 1_025 }, () => 'sh') }],
  ['words of a line', { command: 'sh '.repeat(1_025) }],
  ['words besides a line', { command: 'sh', args: Array.from({ length: 1_024 }, () => 'sh') }],
  ['characters', { command: ['sh', '-c', 'a'.repeat(256 * 1024)] }],
])('too many %s are refused before any file is checked', (_, args) => {
  expect(problem(args)).toBe('command-too-long');
});

const split = (line: string, platform: NodeJS.Platform = 'linux') => splitCommand(line, platform);

describe('a line becomes words without a shell', () => {
  test.each([
    ['git status', ['git', 'status']],
    ['  git   status  ', ['git', 'status']],
    ['git\tstatus', ['git', 'status']],
    ['echo "a b" c', ['echo', 'a b', 'c']],
    ["echo 'a $HOME `id` | *'", ['echo', 'a $HOME `id` | *']],
    [String.raw`echo a\ b`, ['echo', 'a b']],
    [String.raw`echo "say \"hi\" \\ \n"`, ['echo', String.raw`say "hi" \ \n`]],
    ['echo ""', ['echo', '']],
    [`echo a"b c"d'e f'`, ['echo', 'ab cde f']],
    ['echo "a | b; c & d > e"', ['echo', 'a | b; c & d > e']],
    ['date +%Y-%m-%d', ['date', '+%Y-%m-%d']],
    ['printf a=b', ['printf', 'a=b']],
    ['', []],
    ['   ', []],
  ])('%s', (line, words) => {
    expect(split(line)).toEqual({ words });
  });

  test('on Windows a backslash is part of a path, and single quotes are plain characters', () => {
    expect(split(String.raw`C:\tools\git.exe "a b" it's`, 'win32')).toEqual({
      words: [String.raw`C:\tools\git.exe`, 'a b', "it's"],
    });
  });
});

describe('shell syntax is refused', () => {
  test.each([
    '|',
    '&',
    ';',
    '<',
    '>',
    '$',
    '`',
    '(',
    ')',
    '\n',
    '\r',
    '*',
    '?',
    '[',
    ']',
    '{',
    '}',
    '~',
    '#',
    '!',
  ])('%j', (char) => {
    expect(split(`echo a${char}b`)).toEqual({ refused: char });
    expect(split(`echo 'a${char}b'`)).toEqual({ words: ['echo', `a${char}b`] });
  });

  test.each(['$', '`'])('%s inside of double quotes, where shells still expand it', (char) => {
    expect(split(`echo "a ${char}b"`)).toEqual({ refused: char });
  });

  test.each([
    ['echo "a', 'quote'],
    ["echo 'a", 'quote'],
    ['echo a\\', '\\'],
    ['echo a\0', '\0'],
    ['echo "a\0"', '\0'],
    ['LD_PRELOAD=x.so ls', '='],
  ])('%j', (line, refused) => {
    expect(split(line)).toEqual({ refused });
  });

  test('^ and % on Windows', () => {
    expect(split('echo %PATH%', 'win32')).toEqual({ refused: '%' });
    expect(split('echo a^b', 'win32')).toEqual({ refused: '^' });
  });
});

test('words in single quotes stay unchanged', () => {
  const word = fc.string({ unit: 'grapheme' }).filter((text) => !/['\0]/.test(text));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const line = ['program', ...words.map((each) => `'${each}'`)].join(' ');
      expect(split(line)).toEqual({ words: ['program', ...words] });
    }),
  );
});
