import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { findOpenClaw } from './run-openclaw.ts';

/** A fake OpenClaw that prints its arguments. */
function programIn(folder: string, version: string): string {
  const file = join(folder, 'openclaw.mjs');
  const script = `const words = process.argv.slice(2);
    console.log(words[0] === '--version' ? ${JSON.stringify(version)} : JSON.stringify(words));`;
  writeFileSync(file, `#!/usr/bin/env node\n${script}`);
  chmodSync(file, 0o755);
  return file;
}

test('runs OpenClaw with the profile', async () => {
  using folder = temporaryFolder('openclaw-program');
  const openclaw = await findOpenClaw({
    openclaw: programIn(folder.path, 'OpenClaw 2026.9.6 (eb377ac)'),
    profile: 'work',
  });
  expect(openclaw.version).toBe('2026.9.6');
  expect(JSON.parse((await openclaw.run(['plugins', 'list'])).stdout)).toEqual([
    '--profile',
    'work',
    'plugins',
    'list',
  ]);
});

test.each([
  ['OpenClaw 2026.8.31', 'OpenClaw 2026.8.31 is too old: the plugin needs 2026.9.0 or newer.'],
  ['ls (GNU coreutils) 9.5', /--version failed/],
])('refuses %s', async (version, why) => {
  using folder = temporaryFolder('openclaw-program');
  await expect(findOpenClaw({ openclaw: programIn(folder.path, version) })).rejects.toThrow(why);
});

test('names the path if there is no program', async () => {
  await expect(findOpenClaw({ openclaw: '/nowhere/openclaw' })).rejects.toThrow(
    'There is no program at /nowhere/openclaw.',
  );
});
