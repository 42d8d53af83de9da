/** Brings finished calls back from a damaged file, a few pages at a time, while the hub works. */
import type { DatabaseSync } from 'node:sqlite';
import { atomically } from '../rows/database.ts';
import type { Value } from '../rows/table.ts';
import { foldInPlace } from './fold-log.ts';
import { type Found, openPages, recordsOn } from './records.ts';

/** A slice blocks the event loop for about a millisecond; calls pass in between. */
const SLICE_PAGES = 8;
const PAUSE_MS = 20;

const COLUMNS = [
  'at',
  'caller',
  'surface',
  'server',
  'tool',
  'outcome',
  'code',
  'duration_ms',
  'method',
  'arguments',
  'session',
  'argument_bytes',
  'answer_bytes',
] as const;
/** Rows from before a column was added lack it. */
const DEFAULTS: readonly Value[] = ['tools/call', null, null, null, null];
const FEWEST_COLUMNS = COLUMNS.length - DEFAULTS.length;

export interface CallSalvage {
  stop(): void;
}

export interface CallSalvageParts {
  onDone(rows: number): void;
  onFailed(error: unknown): void;
}

export function startCallSalvage(db: DatabaseSync, path: string, parts: CallSalvageParts): CallSalvage {
  foldInPlace(path);
  const pages = openPages(path);
  const insert = db.prepare(
    `INSERT OR IGNORE INTO calls (id, ${COLUMNS.join(', ')}) VALUES (?, ${COLUMNS.map(() => '?').join(', ')})`,
  );
  let page = 1;
  let rows = 0;
  let timer: NodeJS.Timeout | undefined;

  function slice(): void {
    try {
      const end = Math.min(page + SLICE_PAGES, pages.count + 1);
      const found: Found[] = [];
      for (; page < end; page += 1) found.push(...recordsOn(pages, page).filter(isCall));
      if (found.length > 0)
        atomically(db, () => {
          for (const { rowid, values } of found)
            rows += Number(insert.run(rowid!, ...complete(values.slice(1))).changes);
        });
      if (page <= pages.count) timer = setTimeout(slice, PAUSE_MS).unref();
      else finish();
    } catch (error) {
      pages[Symbol.dispose]();
      parts.onFailed(error);
    }
  }

  function finish(): void {
    pages[Symbol.dispose]();
    parts.onDone(rows);
  }

  timer = setTimeout(slice, PAUSE_MS).unref();
  return {
    stop() {
      clearTimeout(timer);
      if (page <= pages.count) pages[Symbol.dispose]();
    },
  };
}

function isCall({ rowid, values }: Found): boolean {
  const [id, at, caller, surface, server, tool, outcome, code, duration] = values;
  const count = values.length - 1;
  return (
    rowid !== undefined &&
    id === null &&
    count >= FEWEST_COLUMNS &&
    count <= COLUMNS.length &&
    typeof at === 'number' &&
    typeof duration === 'number' &&
    (code === null || typeof code === 'string') &&
    [caller, surface, server, tool, outcome].every((value) => typeof value === 'string')
  );
}

const complete = (values: readonly Value[]): Value[] => [
  ...values,
  ...DEFAULTS.slice(values.length - FEWEST_COLUMNS),
];
