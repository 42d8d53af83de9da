/** What npm and ClawHub would take: `npm run publish:dry` does the same by hand. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { dryRunOfClawHub, dryRunOfNpm, inspectPlugin, unpackedPackage } from '../publishing/dry-run.ts';
import { verifies } from '../verifies.ts';

const PLUGIN = join(import.meta.dirname, '../../packages/openclaw-plugin');
const folder = temporaryFolder('publishing');
let unpacked = '';

beforeAll(async () => {
  unpacked = await unpackedPackage(PLUGIN, folder.path);
});
afterAll(() => folder[Symbol.dispose]());

test('npm would publish what runs, what describes it, and nothing else', async () => {
  verifies('004-13-layout', '004-16-publish');
  const files = await dryRunOfNpm(PLUGIN);
  expect(files.filter((file) => !/^dist\/[\w/-]+\.js$/.test(file)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'openclaw.plugin.json',
    'package.json',
    'skills/mcp/SKILL.md',
  ]);
  expect(files).toContain('dist/index.js');
  expect(files.filter((file) => /\.test\.|manifest/.test(file))).toEqual([]);
});

test("ClawHub's inspector finds nothing against the plugin", async () => {
  expect(await inspectPlugin(unpacked, folder.path)).toMatchObject({ status: 'pass', issues: [] });
});

test('ClawHub would publish it, and not without saying what it was built for', async () => {
  verifies('004-16-publish');
  expect(await dryRunOfClawHub(unpacked, folder.path)).toMatchObject({
    name: '@openclaw/plugin-mcp-client',
    family: 'code-plugin',
  });
  const file = join(unpacked, 'package.json');
  const { openclaw, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as { openclaw: object };
  writeFileSync(file, JSON.stringify({ ...rest, openclaw: { ...openclaw, build: {} } }));
  await expect(dryRunOfClawHub(unpacked, folder.path)).rejects.toThrow('openclawVersion');
});
