import { expect, test } from 'vitest';
import { splitWords } from './split-words.ts';

test('words stand between blanks, of any kind and number', () => {
  expect(splitWords('')).toEqual([]);
  expect(splitWords('  status \t docs\n')).toEqual(['status', 'docs']);
});

test('quotes keep words together, straight ones and those that phones make', () => {
  expect(splitWords(`a "b c" 'd e' “f g” ‘h i’ „j k“`)).toEqual(['a', 'b c', 'd e', 'f g', 'h i', 'j k']);
  expect(splitWords('--name="my server"')).toEqual(['--name=my server']);
  expect(splitWords('""')).toEqual(['']);
});

test('an apostrophe inside a word is part of it', () => {
  expect(splitWords("don't")).toEqual(["don't"]);
});

test('a quote that is never closed is said to be so', () => {
  expect(() => splitWords('connect "https://example.com')).toThrow('The quote " is never closed.');
});

test('a long dash before a word is two short ones, and elsewhere is what it is', () => {
  expect(splitWords('—name docs –code x — 4—5')).toEqual(['--name', 'docs', '--code', 'x', '—', '4—5']);
});
