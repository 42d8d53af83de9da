/** Turns an error of the disk into a message that names the file and the remedy. */
import { messageOf, PincerError } from './errors.ts';

const SQLITE_PERM = 3;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;

/** Returns undefined if the error is not from SQLite. The low byte is the kind, the rest a detail. */
export const sqliteKind = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;

const dirname = (path: string): string => path.replace(/[/\\][^/\\]*$/, '');

interface Cause {
  readonly what: string;
  readonly hint: (path: string) => string;
}

const FULL: Cause = {
  what: 'the disk is full',
  hint: (path) =>
    `Free some space on the disk that holds ${dirname(path)}. See how full it is: df -h ${dirname(path)}`,
};
const QUOTA: Cause = {
  what: 'your quota on the disk is used up',
  hint: (path) => `Free some space in ${dirname(path)}, or ask for a larger quota.`,
};
const READ_ONLY: Cause = {
  what: 'the file or its disk is read-only',
  hint: (path) =>
    `Make the folder and its files writable (chmod -R u+w ${dirname(path)}), or set PINCER_HOME to another folder.`,
};
const NOT_OURS: Cause = {
  what: 'its permissions do not allow it',
  hint: (path) => `Check who owns it: ls -la ${dirname(path)}`,
};
const FAILING: Cause = {
  what: 'the disk reported an error',
  hint: (path) => `Check that the disk is neither full nor failing: df -h ${dirname(path)}`,
};

const BY_ERRNO: Readonly<Record<string, Cause>> = {
  ENOSPC: FULL,
  EDQUOT: QUOTA,
  EROFS: READ_ONLY,
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
  EIO: FAILING,
};
const BY_SQLITE: Readonly<Record<number, Cause>> = {
  [SQLITE_FULL]: FULL,
  [SQLITE_READONLY]: READ_ONLY,
  [SQLITE_PERM]: NOT_OURS,
  [SQLITE_CANTOPEN]: NOT_OURS,
  [SQLITE_IOERR]: FAILING,
};

/** Returns the error itself if the disk is not the cause. */
export function asDiskError(path: string, error: unknown): unknown {
  if (PincerError.is(error)) return error;
  const cause = causeOf(error);
  if (cause === undefined) return error;
  return new PincerError(
    'STORE_UNWRITABLE',
    `${path} cannot be written: ${cause.what} (${messageOf(error)}).`,
    { hint: cause.hint(path), data: { path }, cause: error },
  );
}

function causeOf(error: unknown): Cause | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return BY_ERRNO[code] ?? BY_SQLITE[sqliteKind(error) ?? -1];
}

/** The same for a file that cannot be opened. */
export function asOpenError(path: string, error: unknown): unknown {
  const known = asDiskError(path, error);
  if (PincerError.is(known)) return known;
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
