/** `npm run publish:dry`: both packages as npm would take them, and the plugin as ClawHub would. Builds nothing. */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { dryRunOfClawHub, dryRunOfNpm, inspectPlugin, unpackedPackage } from './dry-run.ts';

const packages = join(import.meta.dirname, '../../packages');
const plugin = join(packages, 'openclaw-plugin');
using folder = temporaryFolder('publishing');

for (const name of ['hub', 'openclaw-plugin'])
  console.log(`npm: packages/${name}, ${(await dryRunOfNpm(join(packages, name))).length} files`);

const unpacked = await unpackedPackage(plugin, folder.path);
const { status, summary, issues } = await inspectPlugin(unpacked, folder.path);
for (const { code = '', message = '' } of issues) console.error(`ClawHub: ${code} ${message}`);
console.log(`ClawHub: ${status}, ${summary.breakageCount} breakages, ${summary.warningCount} warnings`);
if (status !== 'pass' || issues.length > 0) process.exitCode = 1;

const { name, family } = await dryRunOfClawHub(unpacked, folder.path);
console.log(`ClawHub: would publish ${name} as ${family}`);
