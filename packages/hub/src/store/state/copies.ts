/** Daily copies of state.sqlite. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { collectionsOf, emptyRows, type StateRows } from './state-rows.ts';
import { openTable } from '../rows/table.ts';

const NAME = /^state-\d{4}-\d{2}-\d{2}\.sqlite$/;

export const copyPath = (folder: string, now: number): string =>
  join(folder, `state-${new Date(now).toISOString().slice(0, 10)}.sqlite`);

/** The newest first. */
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

/** Undefined where it cannot be read as a whole. */
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
