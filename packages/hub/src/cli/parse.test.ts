import { describe, expect, it } from 'vitest';
import { defineCommand, parsePort } from './command.ts';
import { parseOptions, readWords, unknownCommand, unknownOption } from './parse.ts';

const command = defineCommand({
  description: 'A command.',
  arguments: ['<name>', ['[kind]', '', ['a', 'b']]],
  options: {
    '-v, --verbose': 'say more',
    '--port <n>': { help: 'a port', parse: parsePort },
    '--api-key-env <variable>': 'a variable',
    '--header <h>': { help: 'a header', many: true },
    '--no-check': 'no check',
    '--http': { help: 'one way', conflicts: '--stdio' },
    '--stdio': 'another way',
  },
});
const level = { path: 'pincer x', options: command.options! };
const parse = (...words: string[]) => parseOptions(words, level);
const read = (...words: string[]) => readWords(words, command, level);
const refused = (message: string, hint = 'Run `pincer x --help`.') =>
  expect.objectContaining({ code: 'USAGE', message, hint });

describe('options', () => {
  it('are taken from anywhere, with a blank or an equals sign', () => {
    const given = parse(
      '--port',
      '0',
      'name',
      '--api-key-env=KEY',
      '-v',
      '--header',
      'a',
      '--header=b',
      '--no-check',
    );
    expect(given.flags).toEqual({
      port: 0,
      apiKeyEnv: 'KEY',
      verbose: true,
      header: ['a', 'b'],
      check: false,
      http: false,
      stdio: false,
    });
    expect(given.operands).toEqual(['name']);
  });

  it('take the next word as it is', () => {
    expect(parse('--api-key-env', '-').flags).toMatchObject({ apiKeyEnv: '-' });
    expect(parse('--api-key-env', '--verbose').flags).toMatchObject({
      apiKeyEnv: '--verbose',
      verbose: false,
    });
  });

  it('that are unknown may belong to a subcommand, with the words after them', () => {
    expect(parse('a', '--other', 'b', '-v', 'c')).toMatchObject({
      operands: ['a'],
      unknown: ['--other', 'b', 'c'],
      flags: { verbose: true },
    });
    expect(parse('--verbose=1').unknown).toEqual(['--verbose=1']);
    expect(parse('-5', '-').operands).toEqual(['-5', '-']);
  });

  it.each([
    [['--port', 'x'], 'Option "--port <n>" argument "x" is invalid. A port is a number from 0 to 65535.'],
    [
      ['--port', '65536'],
      'Option "--port <n>" argument "65536" is invalid. A port is a number from 0 to 65535.',
    ],
    [['--port', ' '], 'Option "--port <n>" argument " " is invalid. A port is a number from 0 to 65535.'],
    [['--port'], 'Option "--port <n>" argument missing.'],
    [['--http', '--stdio'], 'Option "--http" cannot be used with option "--stdio".'],
  ])('are refused: %j', (words, message) => expect(() => parse(...words)).toThrow(refused(message)));

  it('that are unknown are refused with what was meant', () => {
    const error = (word: string) => unknownOption(word, [level.options], level);
    expect(error('--prot')).toEqual(refused('Unknown option "--prot".', 'Did you mean --port?'));
    expect(error('--nonsense')).toEqual(refused('Unknown option "--nonsense".'));
    expect(error('-x')).toEqual(refused('Unknown option "-x".'));
  });
});

describe('words', () => {
  it('become one for each argument', () => {
    expect(read('n', 'a')).toEqual(['n', 'a']);
    expect(read('n')).toEqual(['n', undefined]);
    const open = { ...command, arguments: ['<name>', '[rest...]'] };
    expect(readWords(['n', 'a', 'b'], open, level)).toEqual(['n', ['a', 'b']]);
  });

  it.each([
    [[], 'Missing required argument "name".'],
    [['n', 'c'], 'Command-argument value "c" is invalid for argument "kind". Allowed choices are a, b.'],
    [['n', 'a', 'z'], 'Too many arguments for "x". Expected 2 arguments but got 3: n, a, z.'],
  ])('are refused: %j', (words, message) => expect(() => read(...words)).toThrow(refused(message)));

  it.each([
    ['foo', 'There are: pincer device on, pincer device off.'],
    ['offf', 'Did you mean pincer device off?'],
  ])('that are no subcommand of a command which runs by itself are named: %s', (word, hint) => {
    const on = { description: '', summary: '' };
    const device = { description: '', commands: { on, off: on } };
    expect(() => readWords([word], device, { path: 'pincer device', options: {} })).toThrow(
      refused(`\`pincer device\` has no command "${word}".`, hint),
    );
  });

  it.each([
    ['lst', 'Did you mean list?'],
    ['ad', 'Did you mean add?'],
    ['se', 'Did you mean one of set, use?'],
    ['frobnicate', 'Run `pincer --help`.'],
  ])('that are no command are refused with what was meant: %s', (word, hint) => {
    const names = ['list', 'add', 'use', 'set'];
    expect(unknownCommand(word, names, 'pincer')).toEqual(refused(`Unknown command "${word}".`, hint));
  });
});
