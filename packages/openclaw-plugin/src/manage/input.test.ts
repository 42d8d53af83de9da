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

test('accepts flags before or after arguments, with both forms of values', () => {
  const given = readArguments(['--name', 'docs', 'https://a', '--yes'], SYNTAX);
  expect(given.named).toEqual(['https://a']);
  expect(given.values.get('name')).toBe('docs');
  expect(given.switches.has('yes')).toBe(true);
  expect(readArguments(['https://a', '--name=a=b'], SYNTAX).values.get('name')).toBe('a=b');
});

test('suggests the closest flag, or shows the usage', () => {
  const usage = 'Type: /mcp connect <url> [--name <name>]';
  expect(hintOf([])).toEqual(['An argument is missing after connect.', usage]);
  expect(hintOf(['a', 'b'])).toEqual(['Unexpected word: "b".', usage]);
  expect(hintOf(['a', '--name'])).toEqual(['--name needs a value.', usage]);
  expect(hintOf(['a', '--nmae', 'x'])).toEqual(['connect has no option --nmae.', 'Did you mean --name?']);
  expect(hintOf(['a', '--constructor'])).toEqual(['connect has no option --constructor.', usage]);
});

test('splits at any white space', () => {
  expect(splitWords('')).toEqual([]);
  expect(splitWords('  status \t docs\n')).toEqual(['status', 'docs']);
});

test('keeps quoted words together, with straight or curly quotes', () => {
  expect(splitWords(`a "b c" 'd e' “f g” ‘h i’ „j k“`)).toEqual(['a', 'b c', 'd e', 'f g', 'h i', 'j k']);
  expect(splitWords('--name="my server"')).toEqual(['--name=my server']);
  expect(splitWords('""')).toEqual(['']);
});

test('keeps an apostrophe inside a word', () => {
  expect(splitWords("don't")).toEqual(["don't"]);
});

test('reports a quote that is not closed', () => {
  expect(() => splitWords('connect "https://example.com')).toThrow('The quote " is not closed.');
});

test('reads a long dash before a word as two dashes', () => {
  expect(splitWords('—name docs –code x — 4—5')).toEqual(['--name', 'docs', '--code', 'x', '—', '4—5']);
});
