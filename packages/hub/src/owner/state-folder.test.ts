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

test('the folder and run/ are made for the owner only, and tightened where they were open', () => {
  const home = join(folder, 'deep', 'home');
  prepareStateFolder(home);
  expect([modeOf(home), modeOf(runFolder(home))]).toEqual([0o700, 0o700]);
  chmodSync(home, 0o755);
  prepareStateFolder(home);
  expect(modeOf(home)).toBe(0o700);
});

test('a folder that all users share is refused and left as it is', () => {
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  expect(() => prepareStateFolder(shared)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  expect(modeOf(shared)).toBe(0o777);
});

test('a path that cannot become a folder is an error with a hint', () => {
  const file = join(folder, 'file');
  writeFileAtomically(file, '');
  expect(() => prepareStateFolder(file)).toThrow(
    expect.objectContaining({ code: 'INTERNAL', hint: expect.stringContaining('PINCER_HOME') }),
  );
});

test('a file is replaced whole, is private, and leaves no temporary one behind', () => {
  const file = join(folder, 'file');
  writeFileAtomically(file, 'old');
  writeFileAtomically(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(modeOf(file)).toBe(0o600);
  mkdirSync(join(folder, 'taken'));
  expect(() => writeFileAtomically(join(folder, 'taken'), 'text')).toThrow();
  expect(readdirSync(folder).sort()).toEqual(['file', 'taken']);
});
