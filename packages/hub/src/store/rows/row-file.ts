/**
 * An SQLite file whose rows are also in memory. Opens, checks and writes it, and rewrites it if it is damaged. Rows of a
 * file that is damaged at the start are salvaged page by page; later the rows in memory replace it.
 */
import { existsSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDamage, moveAside, removeDatabase } from '../damage.ts';
import { salvageRows } from '../salvage/salvage-rows.ts';
import type { Schema } from '../schema.ts';
import { atomically, openDatabase } from './database.ts';
import { type Change, type Collection, type Collections, openTable, type Table } from './table.ts';

export interface RowFile {
  readonly damage: RowDamage | undefined;
  /** Applies all changes in one transaction, then in memory. `isDurable`: survives a power cut. */
  apply(changes: readonly Change[], isDurable?: boolean): void;
  /** Rewrites the file from memory. Returns the new path of the old file, undefined if there was none. */
  rewrite(): string | undefined;
  /** Size of all pages, as SQLite knows it. */
  pageBytes(): number;
  close(): void;
}

/** Damage found when the file was opened. */
export interface RowDamage {
  /** Damaged tables. Empty if SQLite cannot open the file at all. */
  readonly tables: readonly string[];
  readonly movedTo: string | undefined;
}

export interface RowFileOptions {
  readonly schema: Schema;
  readonly collections: Collections;
  now(): number;
  /** Called before salvaged rows are written: some may be useless without others. */
  onSalvaged?(): void;
  /** Called when a write found the file damaged and it was rewritten. */
  onRewritten(movedTo: string | undefined): void;
}

export function openRowFile(path: string, options: RowFileOptions): RowFile {
  const { schema, collections, now } = options;
  finishReplacement(path);
  const opened = readFile(path, options);
  let damage: RowDamage | undefined;
  let db: DatabaseSync;
  if (opened.db !== undefined) ({ db } = opened);
  else {
    options.onSalvaged?.();
    const movedTo = replace(() => moveAside(path, now()));
    damage = { tables: opened.tables, movedTo };
    db = openDatabase(path, schema);
  }
  let tables = tablesOf(db, collections);

  function replace(clear: () => string | undefined): string | undefined {
    const fresh = freshPath(path);
    writeFresh(fresh, schema, collections);
    const movedTo = clear();
    removeDatabase(path);
    renameSync(fresh, path);
    return movedTo;
  }

  function rewrite(): string | undefined {
    try {
      return replace(() => {
        db.close();
        return moveAside(path, now());
      });
    } finally {
      if (!db.isOpen) {
        db = openDatabase(path, schema);
        tables = tablesOf(db, collections);
      }
    }
  }

  function write(changes: readonly Change[]): void {
    const all = (): void => {
      for (const { collection, item, key } of changes)
        if (key === undefined) tables.get(collection)!.put(collection.codec.toRow(item));
        else tables.get(collection)!.remove(key);
    };
    if (changes.length === 1) all();
    else atomically(db, all);
  }

  function writeDurably(changes: readonly Change[]): void {
    db.exec('PRAGMA synchronous = FULL');
    try {
      write(changes);
    } finally {
      db.exec('PRAGMA synchronous = NORMAL');
    }
  }

  return {
    damage,
    apply(changes, isDurable = false) {
      const attempt = (): void => (isDurable ? writeDurably(changes) : write(changes));
      try {
        attempt();
      } catch (error) {
        if (!isDamage(error)) throw error;
        options.onRewritten(rewrite());
        attempt();
      }
      for (const { collection, item, key } of changes)
        if (key === undefined) collection.set(item);
        else collection.delete(key);
    },
    rewrite,
    pageBytes: () => pageBytes(db),
    close() {
      if (db.isOpen) db.close();
    },
  };
}

interface OpenedFile {
  readonly tables: readonly string[];
  /** Undefined if the file is damaged. All readable rows are in memory then. */
  readonly db: DatabaseSync | undefined;
}

function readFile(path: string, { schema, collections }: RowFileOptions): OpenedFile {
  let db: DatabaseSync | undefined;
  // SQLite would discard the log of an empty file.
  const isLogAlone = sizeOf(path) === 0 && sizeOf(`${path}-wal`) > 0;
  if (!isLogAlone)
    try {
      db = openDatabase(path, schema);
      const tables = load(db, collections);
      if (tables.length === 0) return { tables, db };
      db.close();
      salvageRows(
        path,
        collections.filter(({ codec }) => tables.includes(codec.table)),
      );
      return { tables, db: undefined };
    } catch (error) {
      if (db?.isOpen === true) db.close();
      if (!isDamage(error)) throw error;
    }
  salvageRows(path, collections);
  return { tables: [], db: undefined };
}

/** Loads all undamaged tables and returns the names of the damaged ones. */
function load(db: DatabaseSync, collections: Collections): string[] {
  const isWhole = isSound(db, '1');
  const damaged = collections.filter(({ codec }) => !isWhole && !isSound(db, codec.table));
  for (const collection of collections) {
    if (damaged.includes(collection)) continue;
    const rows = openTable(db, collection.codec).load();
    for (const row of rows) if (row !== undefined) collection.set(collection.codec.fromRow(row));
    if (rows.includes(undefined)) damaged.push(collection);
  }
  const names = damaged.map(({ codec }) => codec.table);
  return isWhole || names.length > 0 ? names : ['free pages'];
}

function isSound(db: DatabaseSync, what: string): boolean {
  try {
    return db.prepare(`PRAGMA quick_check(${what})`).get()?.['quick_check'] === 'ok';
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

/** Writes all rows to a new file. It is closed afterwards, so it has no log. */
export function writeFresh(path: string, schema: Schema, collections: Collections): void {
  removeDatabase(path);
  const db = openDatabase(path, schema);
  try {
    atomically(db, () => {
      for (const [collection, table] of tablesOf(db, collections))
        for (const item of collection.all()) table.put(collection.codec.toRow(item));
    });
    db.close();
  } catch (error) {
    if (db.isOpen) db.close();
    removeDatabase(path);
    throw error;
  }
}

export const freshPath = (path: string): string => `${path}.new`;

/** Finishes the replacement of a hub that died between the two renames. */
export function finishReplacement(path: string): void {
  const fresh = freshPath(path);
  if (!existsSync(path) && existsSync(fresh) && !existsSync(`${fresh}-wal`)) renameSync(fresh, path);
}

const tablesOf = (db: DatabaseSync, collections: Collections): Map<Collection<unknown>, Table> =>
  new Map(collections.map((collection) => [collection, openTable(db, collection.codec)]));

/** Returns 0 if there is no file. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Size of all pages, including those that are only in the log so far. */
export function pageBytes(db: DatabaseSync): number {
  const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count']);
  return pages * Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
}
