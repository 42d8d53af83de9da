/**
 * Migrates a folder of an older version, which kept everything in state.sqlite. Data that cannot be recreated goes into a
 * new state.sqlite. The old file, which may be large, becomes the record of calls.
 */
import { existsSync, renameSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { isDamage, moveAside } from '../damage.ts';
import type { StoreFiles } from '../files.ts';
import type { Incidents } from '../incidents.ts';
import type { Collection, Value } from '../rows/table.ts';
import { openDatabase } from '../rows/database.ts';
import { finishReplacement, freshPath, writeFresh } from '../rows/row-file.ts';
import { LEGACY_SCHEMA, schemaVersion, STATE_SCHEMA } from '../schema.ts';
import { dropOrphans } from './state-file.ts';
import { collectionsOf, emptyRows, type StateRows } from './state-rows.ts';

export function splitLegacy(files: StoreFiles, incidents: Incidents, now: number): void {
  finishReplacement(files.state);
  if (!isLegacy(files.state)) return;
  const rows = emptyRows();
  const damaged = readLegacy(files.state, rows);
  dropOrphans(rows);
  // There is no replica yet to say which pins are missing.
  if (damaged.includes('pins')) rows.doubts.set({ server: undefined, origin: undefined });
  writeFresh(freshPath(files.state), STATE_SCHEMA, collectionsOf(rows));
  if (existsSync(files.calls)) moveAside(files.state, now);
  else renameDatabase(files.state, files.calls);
  renameSync(freshPath(files.state), files.state);
  for (const part of damaged)
    incidents.add({
      file: files.state,
      part,
      message: `The part "${part}" of ${files.state} was damaged. All rows that SQLite can read were kept.`,
      hint:
        part === 'pins'
          ? 'Tools without a pin are held. See which, and accept them: pincer accept'
          : 'Check the disk.',
    });
}

/** False for a file that cannot be opened: it is salvaged later. */
function isLegacy(path: string): boolean {
  // SQLite would discard the log of an empty file.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return false;
  try {
    using db = new DatabaseSync(path);
    const version = schemaVersion(db);
    return version > 0 && version <= LEGACY_SCHEMA.migrations.length;
  } catch {
    return false;
  }
}

/** Returns the tables that are damaged. */
function readLegacy(path: string, rows: StateRows): string[] {
  const { credentials, pins, approvals, lists, sessions } = rows;
  const all = [credentials, pins, approvals, lists, sessions] as Collection<unknown>[];
  try {
    const db = openDatabase(path, LEGACY_SCHEMA);
    try {
      return all.filter((each) => !readTable(db, each)).map(({ codec }) => codec.table);
    } finally {
      db.close();
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return all.map(({ codec }) => codec.table);
  }
}

/** Reads from both ends as far as SQLite gets. Returns whether all rows were read. */
function readTable(db: DatabaseSync, collection: Collection<unknown>): boolean {
  const { table, columns, keys, fromRow } = collection.codec;
  let isWhole = true;
  for (const order of ['ASC', 'DESC'])
    try {
      const by = columns.slice(0, keys).map((column) => `${column} ${order}`);
      const found = db.prepare(
        `SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${table === 'app_sessions' ? `number ${order}` : by.join(', ')}`,
      );
      for (const each of found.iterate()) {
        const row = columns.map((column) => each[column] as Value);
        if (isRow(table, row)) collection.set(fromRow(row));
        else isWhole = false;
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      isWhole = false;
    }
  return isWhole;
}

/** Lists are checked by their digest. Other rows had no checksum then. */
function isRow(table: string, [digest, bytes]: readonly Value[]): boolean {
  if (table !== 'app_tool_lists') return true;
  return (
    createHash('sha256')
      .update(bytes as Uint8Array)
      .digest('base64url') === digest
  );
}

function renameDatabase(from: string, to: string): void {
  // The log first: after a crash in between, a file without its log would be taken for complete.
  for (const end of ['-wal', '']) if (existsSync(from + end)) renameSync(from + end, to + end);
}
