import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeClientFile } from './apply.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'pincer-write-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('backs up the previous file and never overwrites a backup', () => {
  const file = join(folder, 'mcp.json');
  expect(writeClientFile(file, 'one', false).backup).toBeUndefined();
  expect(writeClientFile(file, 'two', false).backup).toBe(`${file}.before-pincer`);
  expect(writeClientFile(file, 'three', false).backup).toBe(`${file}.before-pincer-2`);
  // A text that is already backed up is not backed up again.
  writeFileSync(file, 'one');
  expect(writeClientFile(file, 'four', false).backup).toBe(`${file}.before-pincer`);
  const texts = readdirSync(folder)
    .toSorted()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  expect(texts).toEqual([
    ['mcp.json', 'four'],
    ['mcp.json.before-pincer', 'one'],
    ['mcp.json.before-pincer-2', 'two'],
  ]);
});
