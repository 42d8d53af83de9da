/** Copies of databases, and the daily copies of state.sqlite. */
import { chmodSync, closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { collectionsOf, emptyRows, type StateRows } from './state-rows.ts';
import { openTable } from '../rows/table.ts';

const NAME = /^state-\d{4}-\d{2}-\d{2}\.sqlite$/;

export const copyPath = (folder: string, now: number): string =>
  join(folder, `state-${new Date(now).toISOString().slice(0, 10)}.sqlite`);

/** Returns the newest copy first. */
export function findCopies(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .toSorted()
      .toReversed()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Returns undefined if any row cannot be read. */
export function loadCopy(path: string): StateRows | undefined {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    const rows = emptyRows();
    for (const collection of collectionsOf(rows))
      for (const row of openTable(db, collection.codec).load())
        if (row === undefined) return undefined;
        else collection.set(collection.codec.fromRow(row));
    return rows;
  } catch {
    return undefined;
  }
}

/** Writes a copy in one step: one file without a log, synced to the disk when this returns. */
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
