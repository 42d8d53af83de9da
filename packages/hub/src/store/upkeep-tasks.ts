/** What is done with the files of the store while the hub is idle, in a thread of its own. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDamage } from './damage.ts';
import { findCopies, loadCopy } from './state/copies.ts';

export type UpkeepTask =
  | { readonly kind: 'check'; readonly path: string; readonly hasSums: boolean }
  | {
      readonly kind: 'copy';
      readonly path: string;
      readonly folder: string;
      readonly to: string;
      readonly keep: number;
    };

/** Whether the file is whole. */
export function runTask(task: UpkeepTask): boolean {
  return task.kind === 'check' ? isWhole(task.path, task.hasSums) : copy(task);
}

function isWhole(path: string, hasSums: boolean): boolean {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    if (db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] !== 'ok') return false;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
  return !hasSums || loadCopy(path) !== undefined;
}

/** A copy of a damaged file would push out a good one. */
function copy({ path, folder, to, keep }: UpkeepTask & { kind: 'copy' }): boolean {
  if (!isWhole(path, true)) return false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyDatabase(path, to);
  for (const old of findCopies(folder).slice(keep)) rmSync(old, { force: true });
  return true;
}

/** One file without a log, on the disk when this returns, in one step. */
export function copyDatabase(from: string, to: string): void {
  const temporary = `${to}.tmp`;
  rmSync(temporary, { force: true });
  try {
    using db = new DatabaseSync(from, { readOnly: true });
    closeSync(openSync(temporary, 'wx', 0o600));
    db.prepare('VACUUM INTO ?').run(temporary);
    chmodSync(temporary, 0o600);
    const file = openSync(temporary, 'r+');
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, to);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
