import type { DatabaseSync } from 'node:sqlite';

/** All of it or nothing, in one transaction. */
export function atomically<T>(db: DatabaseSync, write: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const written = write();
    db.exec('COMMIT');
    return written;
  } catch (error) {
    // SQLite has rolled back by itself where the disk is full.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
