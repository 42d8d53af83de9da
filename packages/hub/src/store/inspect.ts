/** Inspects the files of the store while no hub runs. Changes nothing. */
import { accessSync, constants, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDamage } from './damage.ts';
import { asDiskError } from '../core/disk-error.ts';
import type { StoreFiles } from './files.ts';
import { PincerError, type ErrorCode } from '../core/errors.ts';
import { sizeOf } from './rows/row-file.ts';
import { readReplica } from './state/replica.ts';

export interface StoreProblem {
  readonly code: ErrorCode;
  readonly file: string;
  readonly message: string;
  readonly hint: string;
}

const START = 'Start the hub. It keeps everything readable and reports what is missing: pincer up';

export function inspectStore(files: StoreFiles): StoreProblem[] {
  const { state, cache, calls } = files;
  return [
    ...missing(files),
    ...[state, cache, calls].filter((path) => existsSync(path)).flatMap((path) => unwritable(path)),
    ...damaged(state, 'PRAGMA quick_check(3)'),
    ...damaged(cache, 'PRAGMA quick_check(3)'),
    // Checks only the end: the file may have hundreds of megabytes. The hub checks all of it while it is idle.
    ...damaged(calls, "SELECT 'ok' AS quick_check FROM (SELECT * FROM calls ORDER BY id DESC LIMIT 1)"),
  ];
}

function missing(files: StoreFiles): StoreProblem[] {
  const code: ErrorCode = 'STORE_DAMAGED';
  const isEmpty = sizeOf(files.state) === 0;
  const replica = readReplica(files.replica);
  const wasUsed = replica !== undefined || existsSync(files.cache) || existsSync(files.calls);
  const message =
    isEmpty && wasUsed
      ? `${files.state} is gone or empty. It held tokens and the tools you have accepted.`
      : typeof replica === 'object' && replica.generation > generationOf(files.state)
        ? `${files.state} is older than its last written version.`
        : undefined;
  return [
    ...(message === undefined ? [] : [{ code, file: files.state, message, hint: START }]),
    ...(isRecordGone(files)
      ? [
          {
            code,
            file: files.calls,
            message: `${files.calls} is gone or empty. It held the record of calls.`,
            hint: START,
          },
        ]
      : []),
  ];
}

/** The first start creates the cache last: if it exists, there was a record. */
const isRecordGone = ({ cache, calls }: StoreFiles): boolean => existsSync(cache) && sizeOf(calls) === 0;

/** Returns Infinity if the file cannot be read: `damaged` reports that. */
function generationOf(path: string): number {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    const row = db.prepare("SELECT value FROM counters WHERE name = 'generation'").get();
    return Number(row?.['value'] ?? Infinity);
  } catch {
    return Infinity;
  }
}

function damaged(path: string, check: string): StoreProblem[] {
  if (!existsSync(path)) return [];
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    const found = db.prepare(check).all();
    const finding = found.map((row) => String(row['quick_check'])).find((text) => text !== 'ok');
    return finding === undefined ? [] : [{ ...damage(path, finding) }];
  } catch (error) {
    if (isDamage(error)) return [damage(path, error instanceof Error ? error.message : String(error))];
    // The table is missing (an older Pincer kept it elsewhere), or another program has locked the file.
    return [];
  }
}

const damage = (path: string, finding: string): StoreProblem => ({
  code: 'STORE_DAMAGED',
  file: path,
  message: `${path} is damaged: ${finding.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
  hint: START,
});

function unwritable(path: string): StoreProblem[] {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return [];
  } catch (error) {
    const { code, message, hint = '' } = PincerError.from(asDiskError(path, error));
    return [{ code, file: path, message, hint }];
  }
}
