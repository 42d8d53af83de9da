/** Reads the record of finished calls on its own connection, so that a long search never blocks the hub. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, PincerError } from '../core/errors.ts';
import type { StoreFiles } from './files.ts';

export interface CallQuery {
  readonly server?: string | undefined;
  readonly caller?: string | undefined;
  readonly outcome?: string | undefined;
  readonly method?: string | undefined;
  readonly session?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only calls that were recorded after the call of this id. */
  readonly after?: number | undefined;
  /** Number of the newest calls, or with `after` of the next ones. */
  readonly limit: number;
}

export interface LoggedCall {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly caller: string;
  readonly surface: string;
  readonly server: string;
  readonly method: string;
  readonly tool: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly durationMs: number;
  /** Redacted JSON. Null if none were kept. */
  readonly arguments: string | null;
  /** The protocol session of the client, or the session of an app. */
  readonly session: string | null;
  /** Null if unknown. */
  readonly argumentBytes: number | null;
  readonly answerBytes: number | null;
}

export interface CallLog extends Disposable {
  /** Returns the oldest call first. */
  read(query: CallQuery): LoggedCall[];
}

/** The hub writes while this reads. */
const BUSY_TIMEOUT_MS = 1_000;

/** Returns undefined if nothing has been recorded yet. */
export function openCallLog({ calls, state }: Pick<StoreFiles, 'calls' | 'state'>): CallLog | undefined {
  // Older versions kept calls in state.sqlite until a new hub ran on the folder.
  const path = existsSync(calls) ? calls : state;
  if (!existsSync(path)) return undefined;
  const db = connect(path);
  return {
    read(query) {
      const { sql, values } = compile(query, columnsOf(db));
      const rows = db.prepare(sql).all(...values) as unknown as Row[];
      return (query.after === undefined ? rows.toReversed() : rows).map(toCall);
    },
    [Symbol.dispose]: () => db.close(),
  };
}

function connect(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw new PincerError(
      'CONFIG_UNREADABLE',
      `The record of calls in ${path} cannot be read: ${messageOf(error)}.`,
      {
        hint: 'Check that the file belongs to you.',
        cause: error,
      },
    );
  }
}

interface Row {
  readonly id: number;
  readonly at: number;
  readonly caller: string;
  readonly surface: string;
  readonly server: string;
  readonly method?: string;
  readonly tool: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly duration_ms: number;
  readonly arguments?: string | null;
  readonly session?: string | null;
  readonly argument_bytes?: number | null;
  readonly answer_bytes?: number | null;
}

/** Files of older versions have fewer columns. */
const toCall = ({
  duration_ms: durationMs,
  method = 'tools/call',
  arguments: given = null,
  session = null,
  argument_bytes: argumentBytes = null,
  answer_bytes: answerBytes = null,
  ...row
}: Row): LoggedCall => ({
  ...row,
  method,
  durationMs,
  arguments: given,
  session,
  argumentBytes,
  answerBytes,
});

/** Replacements for columns that such a file lacks. */
const MISSING: Readonly<Record<string, string>> = { method: "'tools/call'", session: 'NULL' };

const columnsOf = (db: DatabaseSync): ReadonlySet<unknown> =>
  new Set(
    db
      .prepare("SELECT name FROM pragma_table_info('calls')")
      .all()
      .map(({ name }) => name),
  );

function compile(
  { after, limit, since, ...equal }: CallQuery,
  columns: ReadonlySet<unknown>,
): { sql: string; values: (string | number)[] } {
  const conditions = [
    ...Object.entries(equal).flatMap(([column, value]) =>
      value === undefined ? [] : [[`${columns.has(column) ? column : MISSING[column]} = ?`, value] as const],
    ),
    ...(since === undefined ? [] : [['at >= ?', since] as const]),
    ...(after === undefined ? [] : [['id > ?', after] as const]),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([text]) => text).join(' AND ')}`;
  const sql = `SELECT * FROM calls ${where} ORDER BY id ${after === undefined ? 'DESC' : 'ASC'} LIMIT ?`;
  return { sql, values: [...conditions.map(([, value]) => value), limit] };
}
