import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { finishSwap, swapIn, type Swap } from './restore-swap.ts';

const SWAP: Swap = {
  staging: 'new',
  before: 'before',
  entries: [
    { name: 'a', isNew: true },
    { name: 'folder', isNew: true },
    { name: 'fresh', isNew: true },
    { name: 'gone', isNew: false },
  ],
};

let home: string;
const at = (...names: string[]): string => join(home, ...names);
const text = (...names: string[]): string => readFileSync(at(...names), 'utf8');

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pincer-swap-'));
  for (const folder of ['run', 'new/folder', 'folder']) mkdirSync(at(folder), { recursive: true });
  for (const name of ['a', 'folder/x', 'gone']) writeFileSync(at(name), `old ${name}`);
  for (const name of ['a', 'folder/x', 'fresh']) writeFileSync(at('new', name), `new ${name}`);
});
afterEach(() => rmSync(home, { recursive: true }));

function expectSwapped(): void {
  expect(['a', 'folder/x', 'fresh'].map((name) => text(name))).toEqual([
    'new a',
    'new folder/x',
    'new fresh',
  ]);
  expect(['a', 'folder/x', 'gone'].map((name) => text('before', name))).toEqual([
    'old a',
    'old folder/x',
    'old gone',
  ]);
  expect(existsSync(at('gone'))).toBe(false);
  expect(readdirSync(home).toSorted()).toEqual(['a', 'before', 'folder', 'fresh', 'run']);
  expect(finishSwap(home)).toBe(false);
}

it('puts new files in place and keeps the old ones', () => {
  swapIn(home, SWAP);
  expectSwapped();
});

it('is finished later, from any interrupted step', () => {
  const steps = [
    () => mkdirSync(at('before')),
    () => renameSync(at('a'), at('before', 'a')),
    () => renameSync(at('new', 'a'), at('a')),
    () => renameSync(at('folder'), at('before', 'folder')),
    () => renameSync(at('new', 'folder'), at('folder')),
    () => renameSync(at('new', 'fresh'), at('fresh')),
    () => renameSync(at('gone'), at('before', 'gone')),
  ];
  const original = `${home}-original`;
  renameSync(home, original);
  for (let done = 0; done <= steps.length; done += 1) {
    cpSync(original, home, { recursive: true });
    writeFileSync(at('run', 'restore.json'), JSON.stringify(SWAP));
    for (const step of steps.slice(0, done)) step();
    expect(finishSwap(home)).toBe(true);
    expectSwapped();
    rmSync(home, { recursive: true });
  }
  renameSync(original, home);
});
