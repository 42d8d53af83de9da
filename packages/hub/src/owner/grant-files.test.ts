import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/kit/processes.ts';
import { verifies } from '../../../../test/verifies.ts';
import { openGrantFiles } from './grant-files.ts';
import { masterKeyPath } from './vault-key-places.ts';
import { grantsFolder } from './vault-records.ts';
import { openVault } from './vault.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-grants-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const files = () => openGrantFiles(home, {});
const pathOf = (name: string): string => join(grantsFolder(home), `${name}.json`);
const unreadable = (message: RegExp): unknown =>
  expect.objectContaining({
    code: 'VAULT_UNREADABLE',
    message: expect.stringMatching(message) as string,
    hint: expect.stringMatching(/\S/) as string,
  });

describe('grant files', () => {
  it('return what was written', async () => {
    verifies('004-5.3-encrypted');
    expect(files().names()).toEqual([]);
    expect(await files().read('a')).toBeUndefined();
    await files().write('a', { id: 'one', text: 'first' });
    await files().write('b', { id: 'two', text: 'secret-token' });
    await files().write('a', { id: 'one', text: 'later' });
    expect(await files().read('a')).toEqual({ id: 'one', text: 'later' });
    expect(files().names().toSorted()).toEqual(['a', 'b']);
    expect(readFileSync(pathOf('b'), 'latin1')).not.toContain('secret-token');
    expect(statSync(pathOf('b')).mode & 0o777).toBe(0o600);
    expect(statSync(grantsFolder(home)).mode & 0o777).toBe(0o700);
    expect(files().remove('a')).toBe(true);
    expect(files().remove('a')).toBe(false);
    expect(await files().read('a')).toBeUndefined();
  });

  it('detect every changed byte', async () => {
    verifies('004-5.3-encrypted');
    await files().write('a', { id: 'one', text: 'x' });
    const good = readFileSync(pathOf('a'));
    const opened = files();
    for (let at = 0; at < good.length; at++) {
      const changed = Buffer.from(good);
      changed[at]! ^= 1 << (at % 8);
      writeFileSync(pathOf('a'), changed);
      await expect(opened.read('a'), `byte ${at}`).rejects.toMatchObject({ code: 'VAULT_UNREADABLE' });
    }
    // A damaged record can be replaced.
    await files().write('a', { id: 'one', text: 'anew' });
    expect((await files().read('a'))?.text).toBe('anew');
  }, 60_000);

  it('cannot be opened with another key, or replaced by a sealed secret', async () => {
    await files().write('a', { id: 'one', text: 'x' });
    const key = readFileSync(masterKeyPath(home));
    writeFileSync(masterKeyPath(home), Buffer.alloc(32, 7));
    await expect(files().read('a')).rejects.toEqual(
      unreadable(/was sealed with another key than the one in/),
    );
    await expect(files().write('b', { id: 'two', text: 'y' })).rejects.toEqual(unreadable(/another key/));
    rmSync(masterKeyPath(home));
    await expect(files().read('a')).rejects.toEqual(unreadable(/key is gone/));
    await expect(files().write('b', { id: 'two', text: 'y' })).rejects.toEqual(unreadable(/key is gone/));
    // A new key for secrets would split the vault: no key could open all of it.
    expect(() => openVault(home, {}).set('A', 'a')).toThrow(unreadable(/key is gone/));
    writeFileSync(masterKeyPath(home), key, { mode: 0o600 });
    openVault(home, {}).set('A', 'a');
    const [secret] = readdirSync(join(home, 'secrets'));
    writeFileSync(pathOf('a'), readFileSync(join(home, 'secrets', secret!)));
    await expect(files().read('a')).rejects.toEqual(unreadable(/damaged/));
  });

  it('report changes, from the first record on', async () => {
    let changes = 0;
    using _ = { [Symbol.dispose]: files().watch(() => void changes++) };
    await files().write('a', { id: 'one', text: 'x' });
    expect(await eventually(() => changes > 0, 10_000)).toBe(true);
    const before = changes;
    files().remove('a');
    expect(await eventually(() => changes > before, 10_000)).toBe(true);
  });
});

describe('exclusive work', () => {
  it('runs one at a time in a process', async () => {
    let inside = 0;
    let most = 0;
    const opened = files();
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside--;
    };
    await Promise.all(Array.from({ length: 10 }, () => opened.alone('a', work)));
    expect(most).toBe(1);
    expect(await opened.alone('a', async () => opened.alone('b', async () => 'another name'))).toBe(
      'another name',
    );
  });

  it('continues after a failure', async () => {
    await expect(files().alone('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await files().alone('a', async () => 'yes')).toBe('yes');
  });

  it('runs in one process at a time and does not wait for a dead process', async () => {
    const module = pathToFileURL(join(import.meta.dirname, 'grant-files.ts')).href;
    const script = `const { openGrantFiles } = await import(${JSON.stringify(module)});
      const files = openGrantFiles(${JSON.stringify(home)}, {});
      await files.alone('a', async () => { console.log('inside'); await new Promise((r) => setTimeout(r, 600_000)); });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    let isIn = false;
    const waiting = files().alone('a', async () => void (isIn = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isIn).toBe(false);
    child.kill('SIGKILL');
    await waiting;
    expect(isIn).toBe(true);
  });

  it('loses no write of several processes', async () => {
    const module = pathToFileURL(join(import.meta.dirname, 'grant-files.ts')).href;
    const script = (
      who: number,
    ): string => `const { openGrantFiles } = await import(${JSON.stringify(module)});
      const files = openGrantFiles(${JSON.stringify(home)}, {});
      for (let n = 0; n < 10; n++) {
        await files.alone('count', async () => {
          const text = (await files.read('count'))?.text ?? '0';
          await files.write('count', { id: 'count', text: String(Number(text) + 1) });
        });
        await files.write('own${who}-' + n, { id: 'own', text: String(n) });
      }`;
    const children = [0, 1, 2].map((who) =>
      spawn(process.execPath, ['--input-type=module', '-e', script(who)], { stdio: 'inherit' }),
    );
    expect(
      await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number)),
    ).toEqual([0, 0, 0]);
    expect((await files().read('count'))?.text).toBe('30');
    expect(files().names()).toHaveLength(31);
  });
});
