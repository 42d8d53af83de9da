import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import workspace from '../../package.json' with { type: 'json' };

test('tests run on Node 24, and on the very version that npm installs', () => {
  expect(process.versions.node.split('.')[0]).toBe('24');
  expect(process.version).toBe(`v${workspace.devDependencies.node}`);
});

test('the running binary is the one of the workspace, not one that happened to be there', () => {
  const manifest = createRequire(import.meta.url).resolve('node/package.json');
  const installed = realpathSync(
    join(manifest, '..', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
  );
  expect(realpathSync(process.execPath)).toBe(installed);
});
