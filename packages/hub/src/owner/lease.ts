/**
 * The lease on a state folder: a lock that the kernel holds for the owner and frees when the owner dies. SQLite is the
 * portable way to an fcntl lock that also excludes a second taker in the same process. Nothing else may open
 * `run/lease.sqlite` in the owner's process: closing any other descriptor of the file would free the lock.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asDiskError } from '../core/disk-error.ts';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { findHub } from './hub-file.ts';
import { prepareStateFolder, runFolder } from './state-folder.ts';

export interface Lease {
  release(): void;
}

const SQLITE_BUSY = 5;
/** Longer than another taker or `isLeaseHeld` holds a read lock. */
const BUSY_WAIT_MS = 100;

/** Keeps a reference to every lease, so that the garbage collector does not free it. */
const held = new Set<DatabaseSync>();

const leasePath = (home: string): string => join(runFolder(home), 'lease.sqlite');

const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 0xff) === SQLITE_BUSY;

function leaseFailure(path: string, error: unknown): PincerError {
  return new PincerError('INTERNAL', `The lease ${path} cannot be taken: ${messageOf(error)}`, {
    hint: 'Delete that file if no hub runs: pincer status. The state folder must be on a local disk that can lock files.',
    cause: error,
  });
}

/** SQLite would make the file readable for others. An existing file is not opened: closing it could free a lock. */
function createPrivately(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** Runs `sql` on the lease's database. Returns undefined if another holder prevents it. */
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
 * The locking mode comes second: in exclusive mode a taker keeps its read lock while it waits, so two takers would block
 * each other and both fail.
 */
const TAKE = 'BEGIN EXCLUSIVE; PRAGMA locking_mode = EXCLUSIVE';

/** Returns undefined if another process holds the lease. `run/` must exist. */
export const takeLease = (home: string): Lease | undefined => takeLock(leasePath(home), BUSY_WAIT_MS);

/** Takes a lock of the same kind on another file, whose folder must exist. */
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

/** Whether a process owns the folder. It may do so for a while before and after it can be reached. */
export function isLeaseHeld(home: string): boolean {
  const database = openWith(leasePath(home), 'SELECT 1 FROM sqlite_master', 0);
  database?.close();
  return database === undefined;
}

/** Makes the calling process the owner of the folder. Throws an error that names the owner if there is one. */
export function ownFolder(home: string): Lease {
  prepare(home);
  const lease = takeLease(home);
  if (lease !== undefined) return lease;
  const running = findHub(home);
  if (running === undefined)
    throw new PincerError('HUB_RUNNING', `Another process is starting or stopping a hub on ${home}.`, {
      hint: 'Wait a moment, then try again.',
    });
  throw new PincerError(
    'HUB_RUNNING',
    `A hub already runs on ${home}: process ${running.pid}, ${running.endpoints.mcp}.`,
    {
      hint: `Use it, or end it first: kill ${running.pid}`,
      data: { pid: running.pid, mode: running.mode },
    },
  );
}

/** Every start comes this way, so a full or read-only disk is reported as such here. */
function prepare(home: string): void {
  try {
    prepareStateFolder(home);
  } catch (error) {
    const known = PincerError.is(error) ? asDiskError(home, error.cause) : error;
    throw PincerError.is(known) ? known : error;
  }
}
