/** docs/device.md has an example of every command, and docs/device-commands.md every command as it is defined. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allCapabilities } from '../../packages/hub/src/device/capabilities.ts';
import { withCommands, withExamples } from '../../packages/hub/src/device/commands-page.ts';

const read = (page: string): string => readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8');
const pages = [
  { name: 'device.md', text: read('device.md'), write: withExamples },
  { name: 'device-commands.md', text: read('device-commands.md'), write: withCommands },
];

/** As the formatter leaves it, tables have other widths. */
const squashed = (text: string): string =>
  text
    .replaceAll(/-{3,}/g, '---')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\n{2,}/g, '\n\n');

const capabilities = allCapabilities();
const commands = capabilities.flatMap(({ commands: own }) => [...own]);

it.each(pages)('$name is what `npm run docs:device` writes', ({ text, write }) => {
  expect(squashed(text)).toBe(squashed(write(text, capabilities)));
});

it('has an example of each command that takes something', () => {
  const without = commands.filter(
    ([, { input, example }]) => Object.keys(input.shape).length > 0 && example === undefined,
  );
  expect(without.map(([name]) => name)).toEqual([]);
});

it('has examples that the commands take', () => {
  for (const [name, { input, example = {} }] of commands)
    expect(input.safeParse(example).error?.message, name).toBeUndefined();
});

it.each(pages)('$name says nothing that is true of one machine alone', ({ text }) => {
  const said = commands.flatMap(([, { here }]) => here ?? []);
  expect(said).not.toEqual([]);
  for (const sentence of said) expect(text).not.toContain(sentence);
});
