/** Opens SQLite files, and writes to them in transactions. */
import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { migrate, type Schema } from '../schema.ts';

/** Short, because waiting blocks the event loop. Only a person with a database tool ever holds the lock. */
const BUSY_TIMEOUT_MS = 250;

/** In pages. Half of SQLite's default: the fsync of a checkpoint then stalls the loop for half as long. */
const CHECKPOINT_PAGES = 500;

/** Opens or creates the file, at the current schema. */
export function openDatabase(path: string, schema: Schema): DatabaseSync {
  // Before SQLite opens it: the log beside the file inherits its mode.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // The schema's own come first: auto_vacuum only takes effect on a file without pages.
    db.exec(`${schema.pragmas}
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL;
             PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    migrate(db, path, schema);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Runs `write` in one transaction. */
export function atomically<T>(db: DatabaseSync, write: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const written = write();
    db.exec('COMMIT');
    return written;
  } catch (error) {
    // If the disk is full, SQLite has already rolled back.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
