/** calls.sqlite: the record of calls. A damaged one is put aside, and its rows come back while the hub works. */
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
  /** The file is gone, but its rows are still there behind the open handle: they are written out. */
  writeAgain(what: string): Promise<void>;
  /** Puts the file aside and begins another. */
  replace(what: string): void;
  pageBytes(): number;
  close(): void;
}

export interface CallFileParts {
  readonly clock: Clock;
  readonly retention: Retention;
  readonly incidents: Incidents;
  /** A hub has run on this folder: where there is no file, or an empty one, somebody deleted it. */
  readonly isExpected: boolean;
  onPruneFailed(error: unknown): void;
}

/** Per step of writing the file out again, off the event loop. */
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
    const aside = movedTo === undefined ? '' : ` Its rows come back from ${movedTo}.`;
    const hint = 'Nothing to do. Check the disk if it happens again.';
    incidents.add({ file, part, message: `${path} ${what}.${aside}`, hint, movedTo });
    if (movedTo === undefined) return;
    salvage = startCallSalvage(db, movedTo, {
      onDone(rows) {
        const message = `Back in ${path} from the damaged file: ${plural(rows, 'call')}.`;
        incidents.add({
          file,
          part,
          message,
          hint: `Remove it when you do not need it: ${movedTo}`,
          movedTo,
        });
      },
      onFailed: (error) => void incidents.failed(path, error),
    });
  }

  finishReplacement(path);
  // What a log holds may be all of the file, or the page that it lacks.
  const hasLog = sizeOf(`${path}-wal`) > 0;
  const isGone = parts.isExpected && sizeOf(path) === 0 && !hasLog;
  try {
    use(openWhole(path));
    if (isGone) tellGone();
  } catch (error) {
    if (!isDamage(error)) throw error;
    beginAnew('was damaged');
  }
  if (!hasLog && isCutWithinPage(path, db!)) replace('was cut off');

  function tellGone(): void {
    const message = `${path} was deleted or emptied. The record of calls begins anew.`;
    incidents.add({ file: path, part: 'calls', message, hint: 'Check which program touches the file.' });
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
      const message = `${path} ${what}. It was written anew; nothing is lost.`;
      incidents.add({ file: path, part: 'file', message, hint: 'Check which program touches the file.' });
    },
    replace,
    pageBytes: () => pageBytes(db),
    close: stop,
  };
}

/** SQLite fills such a page up with zeroes, and takes it for one that holds no rows. Other cuts are damage to it. */
function isCutWithinPage(path: string, db: DatabaseSync): boolean {
  const pageSize = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
  return sizeOf(path) % pageSize !== 0;
}

/** Checks the two ends that appending and pruning touch: all of it may be hundreds of megabytes. */
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
 * One transaction per batch. A prepared insert per row costs about half of one statement over `json_each(?)`:
 * writing and reading the JSON is dearer than 500 short trips into SQLite. `firstId`: of the first row.
 */
function callAppender(db: DatabaseSync, firstId?: number): (calls: readonly StoredCall[]) => void {
  const insert = db.prepare(
    `INSERT INTO calls (id, at, caller, surface, server, method, tool, outcome, code, duration_ms, arguments,
       session, argument_bytes, answer_bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  let first = firstId ?? null;
  /** Without an id it is one more than the largest. */
  const addRow = (call: StoredCall, id: number | null): void => {
    const { caller, surface, server, method, tool, outcome, code = null, durationMs } = call;
    const { session = null, argumentBytes = null, answerBytes = null } = call;
    // A fraction would not fit the column, and one such row would take its whole batch with it.
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
