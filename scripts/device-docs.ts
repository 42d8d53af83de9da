/** Writes the commands of this machine into docs/device.md, as the source says them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allCapabilities } from '../packages/hub/src/hub/device-capabilities.ts';
import { withCommands } from '../packages/hub/src/sources/device/docs/commands-page.ts';

const file = join(import.meta.dirname, '../docs/device.md');
writeFileSync(file, withCommands(readFileSync(file, 'utf8'), allCapabilities()));
