import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  describeThisHub,
  findHub,
  hubFilePath,
  isAlive,
  readHubFile,
  removeHubFile,
  writeHubFile,
} from './hub-file.ts';
import { prepareStateFolder } from './state-folder.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-hub-file-'));
  prepareStateFolder(home);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const thisHub = describeThisHub({
  version: '1.2.3',
  mode: 'background',
  endpoints: {
    mcp: 'http://127.0.0.1:1/mcp',
    control: 'http://127.0.0.1:1/control',
    health: 'http://127.0.0.1:1/health',
  },
});

test('returns the written file, with private permissions, until it is removed', () => {
  expect(readHubFile(home)).toBeUndefined();
  expect(findHub(home)).toBeUndefined();
  writeHubFile(home, thisHub);
  expect(readHubFile(home)).toEqual(thisHub);
  expect(findHub(home)).toEqual(thisHub);
  expect(statSync(hubFilePath(home)).mode & 0o777).toBe(0o600);
  removeHubFile(home);
  removeHubFile(home);
  expect(findHub(home)).toBeUndefined();
});

test('ignores a damaged file', () => {
  const damaged = [
    '',
    '{',
    'null',
    '[]',
    JSON.stringify({ ...thisHub, pid: 'x' }),
    JSON.stringify({ ...thisHub, mode: 'other' }),
    JSON.stringify({ ...thisHub, endpoints: { mcp: 'a' } }),
  ];
  for (const text of damaged) {
    writeFileSync(hubFilePath(home), text);
    expect(readHubFile(home), text).toBeUndefined();
  }
});

test('a hub is dead if its process id is free or belongs to another process', () => {
  expect(isAlive(thisHub)).toBe(true);
  expect(isAlive({ ...thisHub, processStart: '1@elsewhere' })).toBe(false);
  expect(isAlive({ ...thisHub, processStart: '' })).toBe(false);
  expect(isAlive({ ...thisHub, pid: 2 ** 30 })).toBe(false);
  writeHubFile(home, { ...thisHub, processStart: '1@elsewhere' });
  expect(findHub(home)).toBeUndefined();
});

/** Static imports of a module and of its imports. Type imports are erased. */
function importsOf(module: URL, seen = new Set<string>()): Set<string> {
  const statements = readFileSync(module, 'utf8').matchAll(/^import (?!type )[^;]*? from '([^']+)';/gms);
  for (const [, specifier = ''] of statements) {
    const next = specifier.startsWith('.') ? new URL(specifier, module) : undefined;
    const name = next === undefined ? specifier : (next.pathname.split('/').at(-1) ?? '');
    if (seen.has(name)) continue;
    seen.add(name);
    if (next !== undefined) importsOf(next, seen);
  }
  return seen;
}

test('finding a hub loads neither sqlite nor child_process nor a schema library', () => {
  const light = [
    'errors.ts',
    'node:fs',
    'node:os',
    'node:path',
    'process-identity.ts',
    'record.ts',
    'state-folder.ts',
  ];
  expect([...importsOf(new URL('hub-file.ts', import.meta.url))].sort()).toEqual(light);
  expect([...importsOf(new URL('background.ts', import.meta.url))].sort()).toEqual(
    [...light, 'hub-file.ts'].sort(),
  );
  expect([...importsOf(new URL('tokens.ts', import.meta.url))]).not.toContain('node:crypto');
});
