import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitCommand } from './split-command.ts';

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

  test('on Windows a backslash is part of a path, and single quotes are no quotes', () => {
    expect(split(String.raw`C:\tools\git.exe "a b" it's`, 'win32')).toEqual({
      words: [String.raw`C:\tools\git.exe`, 'a b', "it's"],
    });
  });
});

describe('what only a shell understands is refused', () => {
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

  test('on Windows ^ and %, too', () => {
    expect(split('echo %PATH%', 'win32')).toEqual({ refused: '%' });
    expect(split('echo a^b', 'win32')).toEqual({ refused: '^' });
  });
});

test('words in single quotes come back as they were', () => {
  const word = fc.string({ unit: 'grapheme' }).filter((text) => !/['\0]/.test(text));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const line = ['program', ...words.map((each) => `'${each}'`)].join(' ');
      expect(split(line)).toEqual({ words: ['program', ...words] });
    }),
  );
});
