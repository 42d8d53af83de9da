import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, PincerError } from '../core/errors.ts';
import { assertWhole, isDamage, moveAside } from './damage.ts';
import { migrate } from './schema.ts';

/** Short, because waiting blocks the event loop; only a person with a database tool is ever in the way. */
const BUSY_TIMEOUT_MS = 250;

/** In pages. Half of SQLite's default: the fsync of a checkpoint then stalls the loop for half as long. */
const CHECKPOINT_PAGES = 500;

export interface DatabaseOptions {
  now(): number;
  onDamaged(movedTo: string): void;
}

/** Opens or creates the file, at the current schema; one that is damaged is moved aside and made anew. */
export function openDatabase(path: string, options: DatabaseOptions): DatabaseSync {
  try {
    return connect(path);
  } catch (error) {
    if (!isDamage(error)) throw unreadable(path, error);
  }
  try {
    const movedTo = moveAside(path, options.now());
    const db = connect(path);
    options.onDamaged(movedTo);
    return db;
  } catch (error) {
    throw unreadable(path, error);
  }
}

function connect(path: string): DatabaseSync {
  // Before SQLite opens it: the log beside the file takes over its mode.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // auto_vacuum comes first: it only takes effect on a file without pages.
    db.exec(`PRAGMA auto_vacuum = INCREMENTAL;
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL;
             PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    migrate(db, path);
    assertWhole(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function unreadable(path: string, error: unknown): PincerError {
  if (PincerError.is(error)) return error;
  return new PincerError(
    'CONFIG_UNREADABLE',
    `The state file ${path} cannot be opened: ${messageOf(error)}`,
    {
      hint: 'Check that you own the state folder, that it is writable, and that the disk is not full.',
      data: { path },
      cause: error,
    },
  );
}
