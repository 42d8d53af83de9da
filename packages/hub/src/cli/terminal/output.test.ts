import { expect, it } from 'vitest';
import { forTerminal } from './output.ts';
import { COLOURED } from './style.ts';

it('keeps the known colours, lines and tabs', () => {
  const { bold, dim, red, green, yellow } = COLOURED;
  const text = `${bold('a')}\t${dim('b')}\n${red('c')}${green('d')}${yellow('é 👩‍🚀')}\n`;
  expect(forTerminal(text)).toBe(text);
});

it('escapes all other control characters, also between colours', () => {
  expect(forTerminal(COLOURED.red('a\u001B[2J\u009B1A\r\u001B[8mb\u202E'))).toBe(
    `\u001B[31m${String.raw`a\u001b[2J\u009b1A\u000d\u001b[8mb\u202e`}\u001B[39m`,
  );
});
