/**
 * The lease on a state folder: a lock that the kernel holds for the owner and frees when the owner dies, however
 * it dies. SQLite is used as the portable way to an fcntl lock that also works against a second taker in the
 * same process. Nothing else may open `run/lease.sqlite` in the owner's process: closing any other descriptor
 * of the file would free the lock.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asDiskError } from '../core/disk-error.ts';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { runFolder } from './state-folder.ts';

export interface Lease {
  release(): void;
}

const SQLITE_BUSY = 5;
/** Outlasts the instants for which another taker, or `isLeaseHeld`, has a read lock. */
const BUSY_WAIT_MS = 100;

/** The garbage collector must not free a lease whose holder only keeps it by existing. */
const held = new Set<DatabaseSync>();

const leasePath = (home: string): string => join(runFolder(home), 'lease.sqlite');

const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 0xff) === SQLITE_BUSY;

function leaseFailure(path: string, error: unknown): PincerError {
  return new PincerError('INTERNAL', `The lease ${path} cannot be taken: ${messageOf(error)}`, {
    hint: 'Delete that file if no hub runs; the state folder must be on a local disk that can lock files.',
    cause: error,
  });
}

/** SQLite would let others read it. A file that exists is not opened here: closing it could free a lock. */
function createPrivately(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** Runs `sql` on the lease's database; undefined when another holder keeps it from running. */
function openWith(path: string, sql: string, timeout: number): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    createPrivately(path);
    database = new DatabaseSync(path, { timeout });
    database.exec(sql);
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    const known = asDiskError(path, error);
    throw PincerError.is(known) ? known : leaseFailure(path, error);
  }
}

/**
 * The locking mode comes second: in exclusive mode a taker keeps its read lock while it waits for the rest, so
 * that two takers would block each other and both go without.
 */
const TAKE = 'BEGIN EXCLUSIVE; PRAGMA locking_mode = EXCLUSIVE';

/** Undefined: another holder has it. `run/` must exist. */
export const takeLease = (home: string): Lease | undefined => takeLock(leasePath(home), BUSY_WAIT_MS);

/** A lock of the same kind on another file, whose folder must exist. */
export function takeLock(path: string, waitMs: number): Lease | undefined {
  const database = openWith(path, TAKE, waitMs);
  if (database === undefined) return undefined;
  held.add(database);
  return {
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
}

/** Whether some process owns the folder, which it may do for a while before and after it can be reached. */
export function isLeaseHeld(home: string): boolean {
  const database = openWith(leasePath(home), 'SELECT 1 FROM sqlite_master', 0);
  database?.close();
  return database === undefined;
}
