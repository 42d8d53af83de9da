import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import { neutralFolder, openChildFolders, prepareNeutralFolder } from './neutral-folder.ts';

describe('the working folder of a hub', () => {
  it('is created for its owner alone', () => {
    using home = temporaryFolder('neutral');
    const folder = prepareNeutralFolder(home.path);
    expect(folder).toBe(neutralFolder(home.path));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o777);
    prepareNeutralFolder(home.path);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('replaces a link to a foreign folder without touching that folder', () => {
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
  it('is separate, empty and removed with the child; files in it are reported', async () => {
    using home = temporaryFolder('neutral');
    const reported: unknown[] = [];
    const folders = openChildFolders(home.path, (command, count) => reported.push({ command, count }));
    const [one, other] = [folders.make(), folders.make()];
    expect(one).not.toBe(other);
    expect([readdirSync(one), statSync(one).mode & 0o777]).toEqual([[], 0o700]);
    writeFileSync(join(one, 'data.db'), '');
    await folders.remove(one, 'a');
    await folders.remove(other, 'b');
    expect([existsSync(one), existsSync(other)]).toEqual([false, false]);
    expect(reported).toEqual([{ command: 'a', count: 1 }]);
  });
});
