/**
 * A file whose rows are all in memory, too: opened, checked, written, and written anew where it is damaged. What is
 * damaged at the start is read page by page; what is damaged later is in memory.
 */
import { existsSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDamage, moveAside, removeDatabase } from '../damage.ts';
import { salvageRows } from '../salvage/salvage-rows.ts';
import type { Schema } from '../schema.ts';
import { atomically } from './atomically.ts';
import type { Change, Collection, Collections } from './collection.ts';
import { openDatabase } from './open-database.ts';
import { openTable, type Table } from './table.ts';

export interface RowFile {
  readonly damage: RowDamage | undefined;
  /** All of it or nothing, on disk and then in memory. `isDurable`: a power cut does not undo it. */
  apply(changes: readonly Change[], isDurable?: boolean): void;
  /** Writes the file anew from memory; returns where the one before is, undefined where there was none. */
  rewrite(): string | undefined;
  /** Of all pages, by what SQLite knows of the file. */
  pageBytes(): number;
  close(): void;
}

/** What was wrong with the file that was opened. */
export interface RowDamage {
  /** Tables that are damaged; empty: SQLite cannot open the file. */
  readonly tables: readonly string[];
  readonly movedTo: string | undefined;
}

export interface RowFileOptions {
  readonly schema: Schema;
  readonly collections: Collections;
  now(): number;
  /** Before rows that were salvaged are written: some may be worth nothing without others. */
  onSalvaged?(): void;
  /** A write found the file damaged: it was written anew. */
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
  /** Undefined: the file is damaged, and what can be read of it is in memory. */
  readonly db: DatabaseSync | undefined;
}

function readFile(path: string, { schema, collections }: RowFileOptions): OpenedFile {
  let db: DatabaseSync | undefined;
  // SQLite would throw the log of an empty file away.
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

/** Returns the tables that are damaged; those that are not are in memory. */
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

/** Closed, it is one file, which is whole. */
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

/** A hub that died between the two renames left its new file beside the place. */
export function finishReplacement(path: string): void {
  const fresh = freshPath(path);
  if (!existsSync(path) && existsSync(fresh) && !existsSync(`${fresh}-wal`)) renameSync(fresh, path);
}

const tablesOf = (db: DatabaseSync, collections: Collections): Map<Collection<unknown>, Table> =>
  new Map(collections.map((collection) => [collection, openTable(db, collection.codec)]));

/** Zero where there is none. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Of all pages, those that are only in the log yet among them. */
export function pageBytes(db: DatabaseSync): number {
  const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count']);
  return pages * Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
}
