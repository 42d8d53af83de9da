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
  it('may be anywhere, with a space or an equals sign', () => {
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

  it('take the next word unchanged', () => {
    expect(parse('--api-key-env', '-').flags).toMatchObject({ apiKeyEnv: '-' });
    expect(parse('--api-key-env', '--verbose').flags).toMatchObject({
      apiKeyEnv: '--verbose',
      verbose: false,
    });
  });

  it('are left to a subcommand if unknown, with the words after them', () => {
    expect(parse('a', '--other', 'b', '-v', 'c')).toMatchObject({
      operands: ['a'],
      unknown: ['--other', 'b', 'c'],
      flags: { verbose: true },
    });
    expect(parse('--verbose=1').unknown).toEqual(['--verbose=1']);
    expect(parse('-5', '-').operands).toEqual(['-5', '-']);
  });

  it.each([
    [['--port', 'x'], 'The value "x" of --port is invalid. A port is a number from 0 to 65535.'],
    [['--port', '65536'], 'The value "65536" of --port is invalid. A port is a number from 0 to 65535.'],
    [['--port', ' '], 'The value " " of --port is invalid. A port is a number from 0 to 65535.'],
    [['--port'], 'Option "--port <n>" needs a value.'],
    [['--http', '--stdio'], 'Option "--http" cannot be used with option "--stdio".'],
  ])('are refused: %j', (words, message) => expect(() => parse(...words)).toThrow(refused(message)));

  it('are refused with a suggestion if unknown', () => {
    const error = (word: string) => unknownOption(word, [level.options], level);
    expect(error('--prot')).toEqual(refused('Unknown option "--prot".', 'Did you mean --port?'));
    expect(error('--nonsense')).toEqual(refused('Unknown option "--nonsense".'));
    expect(error('-x')).toEqual(refused('Unknown option "-x".'));
  });
});

describe('words', () => {
  it('are assigned to the arguments', () => {
    expect(read('n', 'a')).toEqual(['n', 'a']);
    expect(read('n')).toEqual(['n', undefined]);
    const open = { ...command, arguments: ['<name>', '[rest...]'] };
    expect(readWords(['n', 'a', 'b'], open, level)).toEqual(['n', ['a', 'b']]);
  });

  it.each([
    [[], 'Missing required argument "name".'],
    [['n', 'c'], 'The argument "kind" must be one of a, b, not "c".'],
    [['n', 'a', 'z'], '`pincer x` takes at most 2 arguments, but got 3: n, a, z.'],
  ])('are refused: %j', (words, message) => expect(() => read(...words)).toThrow(refused(message)));

  it.each([
    ['foo', 'Its commands: pincer device on, pincer device off.'],
    ['offf', 'Did you mean pincer device off?'],
  ])('are refused as unknown subcommands: %s', (word, hint) => {
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
  ])('are refused as unknown commands with a suggestion: %s', (word, hint) => {
    const names = ['list', 'add', 'use', 'set'];
    expect(unknownCommand(word, names, 'pincer')).toEqual(refused(`Unknown command "${word}".`, hint));
  });
});
