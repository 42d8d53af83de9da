import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import { neutralFolder, openChildFolders, prepareNeutralFolder } from './neutral-folder.ts';

describe('the folder that a hub runs in', () => {
  it('is made for its owner alone', () => {
    using home = temporaryFolder('neutral');
    const folder = prepareNeutralFolder(home.path);
    expect(folder).toBe(neutralFolder(home.path));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o777);
    prepareNeutralFolder(home.path);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('takes the place of a link to a folder of a stranger, in which nothing is touched', () => {
    using home = temporaryFolder('neutral');
    using stranger = temporaryFolder('stranger');
    writeFileSync(join(stranger.path, 'package.json'), '{}');
    mkdirSync(join(home.path, 'run'));
    symlinkSync(stranger.path, neutralFolder(home.path));
    openChildFolders(home.path);
    expect(readdirSync(neutralFolder(home.path))).toEqual([]);
    expect(readdirSync(stranger.path)).toEqual(['package.json']);
  });

  it('is emptied by the next owner', () => {
    using home = temporaryFolder('neutral');
    const left = openChildFolders(home.path).make();
    writeFileSync(join(left, '.npmrc'), '');
    expect(readdirSync(openChildFolders(home.path).make())).toEqual([]);
    expect(existsSync(left)).toBe(false);
  });
});

describe('the folder of a child', () => {
  it('is its own, empty, and goes with it; files in it are told of', async () => {
    using home = temporaryFolder('neutral');
    const told: unknown[] = [];
    const folders = openChildFolders(home.path, (command, count) => told.push({ command, count }));
    const [one, other] = [folders.make(), folders.make()];
    expect(one).not.toBe(other);
    expect([readdirSync(one), statSync(one).mode & 0o777]).toEqual([[], 0o700]);
    writeFileSync(join(one, 'data.db'), '');
    await folders.remove(one, 'a');
    await folders.remove(other, 'b');
    expect([existsSync(one), existsSync(other)]).toEqual([false, false]);
    expect(told).toEqual([{ command: 'a', count: 1 }]);
  });
});
