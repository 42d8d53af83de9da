/** calls.sqlite: the record of calls. A damaged file is moved aside, and its rows are salvaged while the hub works. */
import { renameSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import type { Clock, StoredCall } from '../core/ports.ts';
import { plural } from '../lib/text.ts';
import { isDamage, moveAside, removeDatabase } from './damage.ts';
import type { Incidents } from './incidents.ts';
import { startPruner, type Pruner, type Retention } from './retention.ts';
import { atomically, openDatabase } from './rows/database.ts';
import { finishReplacement, freshPath, pageBytes, sizeOf } from './rows/row-file.ts';
import { startCallSalvage, type CallSalvage } from './salvage/salvage-calls.ts';
import { CALLS_SCHEMA } from './schema.ts';

export interface CallFile {
  append(calls: readonly StoredCall[]): void;
  /** Rewrites a file that was deleted: the open handle still has its rows. */
  writeAgain(what: string): Promise<void>;
  /** Moves the file aside and creates a new one. */
  replace(what: string): void;
  pageBytes(): number;
  close(): void;
}

export interface CallFileParts {
  readonly clock: Clock;
  readonly retention: Retention;
  readonly incidents: Incidents;
  /** A hub has used this folder before, so a missing or empty file means that it was deleted. */
  readonly isExpected: boolean;
  onPruneFailed(error: unknown): void;
}

/** Pages per step of rewriting the file, off the event loop. */
const COPY_PAGES = 256;

export function openCallFile(path: string, parts: CallFileParts): CallFile {
  const { clock, incidents } = parts;
  let db: DatabaseSync;
  let append: (calls: readonly StoredCall[]) => void;
  let pruner: Pruner;
  let salvage: CallSalvage | undefined;

  function use(opened: DatabaseSync, firstId?: number): void {
    db = opened;
    append = callAppender(db, firstId);
    pruner = startPruner(db, { ...parts, onFailed: parts.onPruneFailed });
  }

  function beginAnew(what: string): void {
    const movedTo = moveAside(path, clock.now());
    // Later than any id in the old file: ids grow with time.
    use(openDatabase(path, CALLS_SCHEMA), clock.now());
    const file = path;
    const part = 'calls';
    const aside = movedTo === undefined ? '' : ` Its rows are being restored from ${movedTo}.`;
    const hint = 'You need not do anything. Check the disk if it happens again.';
    incidents.add({ file, part, message: `${path} ${what}.${aside}`, hint, movedTo });
    if (movedTo === undefined) return;
    salvage = startCallSalvage(db, movedTo, {
      onDone(rows) {
        const message = `Restored ${plural(rows, 'call')} to ${path} from the damaged file.`;
        incidents.add({
          file,
          part,
          message,
          hint: `Remove the damaged file if you do not need it: rm ${movedTo}`,
          movedTo,
        });
      },
      onFailed: (error) => void incidents.failed(path, error),
    });
  }

  finishReplacement(path);
  // The log may hold the whole file, or the page that it lacks.
  const hasLog = sizeOf(`${path}-wal`) > 0;
  const isGone = parts.isExpected && sizeOf(path) === 0 && !hasLog;
  try {
    use(openWhole(path));
    if (isGone) reportMissing();
  } catch (error) {
    if (!isDamage(error)) throw error;
    beginAnew('was damaged');
  }
  if (!hasLog && isCutWithinPage(path, db!)) replace('was cut off');

  function reportMissing(): void {
    const message = `${path} was deleted or emptied. The record of calls starts empty.`;
    incidents.add({ file: path, part: 'calls', message, hint: 'Check which program changes the file.' });
  }

  function stop(): void {
    pruner.stop();
    salvage?.stop();
    if (db.isOpen) db.close();
  }

  function replace(what: string): void {
    stop();
    beginAnew(what);
  }

  return {
    append(calls) {
      try {
        append(calls);
      } catch (error) {
        if (!isDamage(error)) throw incidents.failed(path, error);
        replace('was damaged while the hub ran');
        append(calls);
      }
      incidents.worked(path);
      pruner.appended(calls.length);
    },
    async writeAgain(what) {
      const fresh = freshPath(path);
      removeDatabase(fresh);
      const source = db;
      await backup(source, fresh, { rate: COPY_PAGES });
      if (db !== source || !source.isOpen) return removeDatabase(fresh);
      stop();
      removeDatabase(path);
      renameSync(fresh, path);
      use(openDatabase(path, CALLS_SCHEMA));
      const message = `${path} ${what}. The hub rewrote it, and nothing is lost.`;
      incidents.add({ file: path, part: 'file', message, hint: 'Check which program changes the file.' });
    },
    replace,
    pageBytes: () => pageBytes(db),
    close: stop,
  };
}

/** SQLite pads a truncated page with zeroes and reads it as a page without rows. It reports other cuts as damage. */
function isCutWithinPage(path: string, db: DatabaseSync): boolean {
  const pageSize = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
  return sizeOf(path) % pageSize !== 0;
}

/** Checks only the two ends that appending and pruning touch: the file may have hundreds of megabytes. */
function openWhole(path: string): DatabaseSync {
  const db = openDatabase(path, CALLS_SCHEMA);
  try {
    for (const order of ['ASC', 'DESC']) db.prepare(`SELECT * FROM calls ORDER BY id ${order} LIMIT 1`).get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Appends each batch in one transaction. A prepared insert per row costs about half of one statement over `json_each(?)`:
 * writing and reading the JSON costs more than 500 short calls of SQLite. `firstId` is the id of the first row.
 */
function callAppender(db: DatabaseSync, firstId?: number): (calls: readonly StoredCall[]) => void {
  const insert = db.prepare(
    `INSERT INTO calls (id, at, caller, surface, server, method, tool, outcome, code, duration_ms, arguments,
       session, argument_bytes, answer_bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  let first = firstId ?? null;
  /** The default id is one more than the largest. */
  const addRow = (call: StoredCall, id: number | null): void => {
    const { caller, surface, server, method, tool, outcome, code = null, durationMs } = call;
    const { session = null, argumentBytes = null, answerBytes = null } = call;
    // A fraction would not fit the column, and would make its whole batch fail.
    const at = Math.trunc(call.at);
    const args = call.arguments ?? null;
    const facts = [id, at, caller, surface, server, method, tool, outcome, code, durationMs];
    insert.run(...facts, args, session, argumentBytes, answerBytes);
  };
  return (calls) => {
    atomically(db, () => {
      for (const [index, call] of calls.entries()) addRow(call, index === 0 ? first : null);
    });
    first = null;
  };
}
