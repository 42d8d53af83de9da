import { describe, expect, it } from 'vitest';
import { Command } from 'commander';
import { usageError, usedCommand } from './usage-error.ts';

describe('usageError', () => {
  it.each([
    ["error: unknown command 'lst'\n(Did you mean list?)", 'Unknown command "lst".', 'Did you mean list?'],
    ["error: missing required argument 'name'", 'Missing required argument "name".', 'Run `pincer --help`.'],
    [
      "error: option '--port <n>' argument 'x' is invalid. A port is a number.",
      'Option "--port <n>" argument "x" is invalid. A port is a number.',
      'Run `pincer --help`.',
    ],
  ])('%j', (text, message, hint) => expect(usageError(text)).toMatchObject({ code: 'USAGE', message, hint }));

  it.each([
    ['foo', 'There are: pincer device on, pincer device off.'],
    ['offf', 'Did you mean pincer device off?'],
  ])('names what is below a command that runs by itself: %s', (word, hint) => {
    const program = new Command('pincer');
    const device = program.command('device');
    device.command('on');
    device.command('off');
    const text = `error: too many arguments for 'device'. Expected 0 arguments but got 1: ${word}.`;
    expect(usageError(text, usedCommand(program, ['--json', 'device', word]))).toMatchObject({
      message: `\`pincer device\` has no command "${word}".`,
      hint,
    });
    expect(usageError('error: x', usedCommand(program, ['device', 'on', 'screen'])).hint).toBe(
      'Run `pincer device on --help`.',
    );
  });
});
