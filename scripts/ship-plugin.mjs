/**
 * Puts the plugin for OpenClaw into the package of the hub, for `pincer openclaw install`. So plugin and hub have the same
 * version. Its code is one file, because OpenClaw copies a plugin and everything below it at each reload, file by file.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const FROM = 'packages/openclaw-plugin';
const INTO = 'packages/hub/dist/openclaw-plugin';

rmSync(INTO, { recursive: true, force: true });
for (const path of ['openclaw.plugin.json', 'LICENSE', 'README.md', 'skills'])
  cpSync(join(FROM, path), join(INTO, path), { recursive: true });
// OpenClaw finds the code by `openclaw.extensions`. Node ignores `exports` in a nested package.
const { exports: _, ...manifest } = JSON.parse(readFileSync(join(FROM, 'package.json'), 'utf8'));
writeFileSync(join(INTO, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
await build({
  input: { index: join(FROM, 'src/index.ts') },
  platform: 'node',
  external: ['pincer/client'],
  output: { dir: join(INTO, 'dist'), format: 'esm', entryFileNames: '[name].js', minify: false },
});
