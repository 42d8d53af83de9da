import type { DatabaseSync } from 'node:sqlite';

/** On the disk before it returns: a power cut does not bring back what was there before. */
export function durably<T>(db: DatabaseSync, write: () => T): T {
  db.exec('PRAGMA synchronous = FULL');
  try {
    return write();
  } finally {
    db.exec('PRAGMA synchronous = NORMAL');
  }
}
