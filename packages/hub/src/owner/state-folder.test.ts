import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareStateFolder, resolveStateFolder, runFolder, writeFileAtomically } from './state-folder.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-state-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('PINCER_HOME wins over OPENCLAW_STATE_DIR, which wins over the home folder', () => {
  expect(resolveStateFolder({ PINCER_HOME: '/a', OPENCLAW_STATE_DIR: '/b' })).toBe('/a');
  expect(resolveStateFolder({ PINCER_HOME: '', OPENCLAW_STATE_DIR: '/b' })).toBe('/b/mcp');
  expect(resolveStateFolder({})).toBe(join(homedir(), '.openclaw', 'mcp'));
  expect(resolveStateFolder({ PINCER_HOME: 'relative' })).toBe(join(process.cwd(), 'relative'));
});

test('creates the folder and run/ for the owner only, and tightens open permissions', () => {
  const home = join(folder, 'deep', 'home');
  prepareStateFolder(home);
  expect([modeOf(home), modeOf(runFolder(home))]).toEqual([0o700, 0o700]);
  chmodSync(home, 0o755);
  prepareStateFolder(home);
  expect(modeOf(home)).toBe(0o700);
});

test('refuses a folder that all users share, and leaves it unchanged', () => {
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  expect(() => prepareStateFolder(shared)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  expect(modeOf(shared)).toBe(0o777);
});

test('reports a path that cannot become a folder, with a hint', () => {
  const file = join(folder, 'file');
  writeFileAtomically(file, '');
  expect(() => prepareStateFolder(file)).toThrow(
    expect.objectContaining({ code: 'INTERNAL', hint: expect.stringContaining('PINCER_HOME') }),
  );
});

test('replaces a file as a whole, privately, without a leftover temporary file', () => {
  const file = join(folder, 'file');
  writeFileAtomically(file, 'old');
  writeFileAtomically(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(modeOf(file)).toBe(0o600);
  mkdirSync(join(folder, 'taken'));
  expect(() => writeFileAtomically(join(folder, 'taken'), 'text')).toThrow();
  expect(readdirSync(folder).sort()).toEqual(['file', 'taken']);
});
