/** Writes the commands of this machine into docs/device.md and docs/device-commands.md, from their definitions. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allCapabilities } from '../packages/hub/src/device/capabilities.ts';
import { withCommands, withExamples } from '../packages/hub/src/device/commands-page.ts';

const DOCS = join(import.meta.dirname, '../docs');

for (const [name, write] of [
  ['device.md', withExamples],
  ['device-commands.md', withCommands],
] as const) {
  const file = join(DOCS, name);
  writeFileSync(file, write(readFileSync(file, 'utf8'), allCapabilities()));
}
