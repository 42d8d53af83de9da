/** Writes `openclaw.plugin.json`. With `--check` it changes nothing, and fails if the file is outdated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestText } from './manifest.ts';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'openclaw.plugin.json');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const text = manifestText(version);

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, { encoding: 'utf8', flag: 'a+' }) !== text) {
  process.stderr.write(
    'packages/openclaw-plugin/openclaw.plugin.json is outdated: run `npm run manifest`.\n',
  );
  process.exitCode = 1;
}
