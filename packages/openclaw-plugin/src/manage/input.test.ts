import { expect, test } from 'vitest';
import { readArguments, splitWords, type Syntax } from './input.ts';

const SYNTAX: Syntax = {
  name: 'connect',
  usage: '<url> [--name <name>]',
  flags: { name: 'value', yes: 'switch' },
  least: 1,
  most: 1,
};

function hintOf(words: readonly string[]): [string, unknown] {
  try {
    readArguments(words, SYNTAX);
  } catch (error) {
    return [(error as Error).message, (error as { hint?: unknown }).hint];
  }
  throw new Error('It was taken.');
}

test('flags stand before or after what is named, and take their value either way', () => {
  const given = readArguments(['--name', 'docs', 'https://a', '--yes'], SYNTAX);
  expect(given.named).toEqual(['https://a']);
  expect(given.values.get('name')).toBe('docs');
  expect(given.switches.has('yes')).toBe(true);
  expect(readArguments(['https://a', '--name=a=b'], SYNTAX).values.get('name')).toBe('a=b');
});

test('whoever mistypes is told what was meant, or how it is typed', () => {
  const usage = 'Type: /mcp connect <url> [--name <name>]';
  expect(hintOf([])).toEqual(['Something is missing after connect.', usage]);
  expect(hintOf(['a', 'b'])).toEqual(['"b" is one word too many.', usage]);
  expect(hintOf(['a', '--name'])).toEqual(['--name needs a value.', usage]);
  expect(hintOf(['a', '--nmae', 'x'])).toEqual(['connect has no --nmae.', 'Did you mean --name?']);
  expect(hintOf(['a', '--constructor'])).toEqual(['connect has no --constructor.', usage]);
});

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
