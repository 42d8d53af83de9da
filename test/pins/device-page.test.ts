/** docs/device.md has every command as it is defined, with an example. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allCapabilities } from '../../packages/hub/src/hub/device-capabilities.ts';
import { withCommands } from '../../packages/hub/src/sources/device/docs/commands-page.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/device.md'), 'utf8');

/** As the formatter leaves it, tables have other widths. */
const squashed = (text: string): string =>
  text
    .replaceAll(/-{3,}/g, '---')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\n{2,}/g, '\n\n');

const capabilities = allCapabilities();
const commands = capabilities.flatMap(({ commands: own }) => [...own]);

it('is what `npm run docs:device` writes', () => {
  expect(squashed(page)).toBe(squashed(withCommands(page, capabilities)));
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

it('says nothing that is true of one machine alone', () => {
  const said = commands.flatMap(([, { here }]) => here ?? []);
  expect(said).not.toEqual([]);
  for (const sentence of said) expect(page).not.toContain(sentence);
});
