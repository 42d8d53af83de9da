/**
 * Replaces files of a state folder by restored ones. A journal lists them, so that the next owner of the folder finishes
 * an interrupted restore.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../core/errors.ts';
import { runFolder, writeFileAtomically } from './state-folder.ts';

export interface Swap {
  /** The folder with the new files, in the state folder. */
  readonly staging: string;
  /** The folder for the replaced files, in the state folder. */
  readonly before: string;
  /** Entries at the top of the state folder. An entry that is not new is only moved away. */
  readonly entries: readonly { readonly name: string; readonly isNew: boolean }[];
}

const journalPath = (home: string): string => join(runFolder(home), 'restore.json');

/** The caller must own the folder, and all of `staging` must be synced to the disk. */
export function swapIn(home: string, swap: Swap): void {
  writeFileAtomically(journalPath(home), JSON.stringify(swap));
  finish(home, swap);
}

/** Finishes an interrupted restore. Returns whether there was one. */
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
    // The entry is in its place already.
    if (isNew && !existsSync(at(staging, name))) continue;
    if (existsSync(at(name)) && !existsSync(at(before, name))) renameSync(at(name), at(before, name));
    if (isNew) renameSync(at(staging, name), at(name));
  }
  rmSync(journalPath(home));
  rmSync(at(staging), { recursive: true, force: true });
}
