import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { makeRunFolder, removeLeftFolders, removeRunFolder } from './run-folder.ts';

it('a folder is private to its owner, and is removed with its content', async () => {
  using home = temporaryFolder('profile');
  const path = makeRunFolder(home.path, 'browser');
  expect(statSync(path).mode & 0o777).toBe(0o700);
  writeFileSync(join(path, 'Cookies'), '');
  await removeRunFolder(path);
  expect(existsSync(path)).toBe(false);
});

it('removes only folders of dead processes', async () => {
  using home = temporaryFolder('profiles');
  const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
  const names = [
    `browser-${gone}-x`,
    `browser-${process.ppid}-x`,
    `browser-${process.pid}-x`,
    'browser-x',
    `media-${gone}-x`,
  ];
  for (const name of names) mkdirSync(join(home.path, 'run', name), { recursive: true });
  await removeLeftFolders(home.path, 'browser');
  expect(names.filter((name) => existsSync(join(home.path, 'run', name)))).toEqual(names.slice(1));
  await removeLeftFolders(join(home.path, 'no-such-folder'), 'browser');
});
