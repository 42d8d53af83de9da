/** Checks and copies files of the store in a separate thread, while the hub is idle. */
import { mkdirSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isDamage } from './damage.ts';
import { copyDatabase, findCopies, loadCopy } from './state/copies.ts';

export type UpkeepTask =
  | { readonly kind: 'check'; readonly path: string; readonly hasSums: boolean }
  | {
      readonly kind: 'copy';
      readonly path: string;
      readonly folder: string;
      readonly to: string;
      readonly keep: number;
    };

/** Returns whether the file is undamaged. */
function runTask(task: UpkeepTask): boolean {
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

/** Copies only an undamaged file: another one would push out a good copy. */
function copy({ path, folder, to, keep }: UpkeepTask & { kind: 'copy' }): boolean {
  if (!isWhole(path, true)) return false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyDatabase(path, to);
  for (const old of findCopies(folder).slice(keep)) rmSync(old, { force: true });
  return true;
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, and no window
parentPort!.postMessage(runTask(workerData as UpkeepTask));
