/**
 * Puts restored files in the place of those of a state folder. A journal says which, so that a restore that was
 * interrupted is finished by whoever owns the folder next.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../core/errors.ts';
import { runFolder, writeFileAtomically } from './state-folder.ts';

export interface Swap {
  /** The folder with the new files, in the state folder. */
  readonly staging: string;
  /** Where those that were there go, in the state folder. */
  readonly before: string;
  /** Entries at the top of the state folder. One that is not new only goes. */
  readonly entries: readonly { readonly name: string; readonly isNew: boolean }[];
}

const journalPath = (home: string): string => join(runFolder(home), 'restore.json');

/** The caller owns the folder, and all of `staging` is on the disk. */
export function swapIn(home: string, swap: Swap): void {
  writeFileAtomically(journalPath(home), JSON.stringify(swap));
  finish(home, swap);
}

/** Whether there was one to finish. */
export function finishSwap(home: string): boolean {
  let swap: Swap;
  try {
    swap = JSON.parse(readFileSync(journalPath(home), 'utf8')) as Swap;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
  finish(home, swap);
  return true;
}

function finish(home: string, { staging, before, entries }: Swap): void {
  const at = (...names: string[]): string => join(home, ...names);
  mkdirSync(at(before), { recursive: true, mode: 0o700 });
  for (const { name, isNew } of entries) {
    // It has been put in its place already.
    if (isNew && !existsSync(at(staging, name))) continue;
    if (existsSync(at(name)) && !existsSync(at(before, name))) renameSync(at(name), at(before, name));
    if (isNew) renameSync(at(staging, name), at(name));
  }
  rmSync(journalPath(home));
  rmSync(at(staging), { recursive: true, force: true });
}
