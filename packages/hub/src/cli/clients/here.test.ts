import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readClientFile } from './here.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'pincer-read-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('reads a file, follows a link, and returns undefined for a missing file', () => {
  writeFileSync(join(folder, 'a'), 'é');
  symlinkSync('a', join(folder, 'link'));
  expect(readClientFile(join(folder, 'link'))).toBe('é');
  expect(readClientFile(join(folder, 'b'))).toBeUndefined();
  expect(readClientFile(join(folder, 'a', 'b'))).toBeUndefined();
});

it('refuses anything but a regular file, without blocking on a pipe', () => {
  const paths = ['zero', 'pipe', 'folder'].map((name) => join(folder, name)) as [string, string, string];
  symlinkSync('/dev/zero', paths[0]);
  execFileSync('mkfifo', [paths[1]]);
  mkdirSync(paths[2]);
  for (const path of paths) expect(() => readClientFile(path)).toThrow('it is not a regular file');
});

it('refuses a file that is too large', () => {
  writeFileSync(join(folder, 'a'), 'xxxx');
  expect(readClientFile(join(folder, 'a'), 4)).toBe('xxxx');
  expect(() => readClientFile(join(folder, 'a'), 3)).toThrow('it has more than 3 bytes');
});
