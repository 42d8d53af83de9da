import { expect, test } from 'vitest';
import { readArguments, type Syntax } from './read-arguments.ts';

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
