import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../../test/kit/temporary-folder.ts';
import { makeProfile, removeLeftProfiles, removeProfile } from './profile.ts';

it('a profile is for its owner alone, and goes with all that is in it', async () => {
  using home = temporaryFolder('profile');
  const path = makeProfile(home.path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  writeFileSync(join(path, 'Cookies'), '');
  await removeProfile(path);
  expect(existsSync(path)).toBe(false);
});

it('profiles of processes that are gone are removed, those of living ones and other folders are not', async () => {
  using home = temporaryFolder('profiles');
  const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
  const names = [
    `browser-${gone}-x`,
    `browser-${process.ppid}-x`,
    `browser-${process.pid}-x`,
    'browser-x',
    'other',
  ];
  for (const name of names) mkdirSync(join(home.path, 'run', name), { recursive: true });
  await removeLeftProfiles(home.path);
  expect(names.filter((name) => existsSync(join(home.path, 'run', name)))).toEqual(names.slice(1));
  await removeLeftProfiles(join(home.path, 'no-such-folder'));
});
