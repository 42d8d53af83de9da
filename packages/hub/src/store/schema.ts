import type { DatabaseSync } from 'node:sqlite';
import { PincerError } from '../core/errors.ts';

/**
 * Migration n (counted from 1) brings a file from version n - 1 to n. Released ones are never edited.
 *
 * Columns that hold ByteText are BLOBs: TEXT would be read as UTF-8.
 * `calls` has no index but its id. Ids grow with time, which is enough for reading and pruning, and an index would slow
 * down every call.
 */
const IN_ONE_FILE: readonly string[] = [
  `CREATE TABLE catalogs (
     server TEXT PRIMARY KEY,
     origin TEXT NOT NULL,
     tools BLOB NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE credentials (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     token_hash TEXT NOT NULL UNIQUE,
     scopes TEXT NOT NULL CHECK (json_type(scopes) = 'object'),
     created_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE calls (
     id INTEGER PRIMARY KEY,
     at INTEGER NOT NULL,
     caller TEXT NOT NULL,
     surface TEXT NOT NULL,
     server TEXT NOT NULL,
     tool TEXT NOT NULL,
     outcome TEXT NOT NULL,
     code TEXT,
     duration_ms REAL NOT NULL
   ) STRICT;`,
  // Catalogs start empty: the old ones hold only tools, and servers are asked again at every start.
  `DROP TABLE catalogs;
   CREATE TABLE catalogs (
     server TEXT PRIMARY KEY,
     origin TEXT NOT NULL,
     offer BLOB NOT NULL
   ) STRICT, WITHOUT ROWID;
   ALTER TABLE calls ADD COLUMN method TEXT NOT NULL DEFAULT 'tools/call';`,
  // A pin is an accepted tool definition of one server at one address. `definition` is shown beside a changed one.
  `CREATE TABLE pins (
     server TEXT NOT NULL,
     origin TEXT NOT NULL,
     tool TEXT NOT NULL,
     digest TEXT NOT NULL,
     definition BLOB NOT NULL,
     accepted_at INTEGER NOT NULL,
     PRIMARY KEY (server, origin, tool)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE approvals (
     id TEXT PRIMARY KEY,
     digest TEXT NOT NULL,
     caller TEXT NOT NULL,
     server TEXT NOT NULL,
     tool TEXT NOT NULL,
     arguments TEXT NOT NULL,
     state TEXT NOT NULL,
     asked_at INTEGER NOT NULL,
     decided_at INTEGER
   ) STRICT, WITHOUT ROWID;
   ALTER TABLE calls ADD COLUMN arguments TEXT;`,
  // Sessions share tool lists. The index finds out whether any session still uses one.
  `CREATE TABLE app_tool_lists (
     digest TEXT PRIMARY KEY,
     tools BLOB NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE app_sessions (
     number INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     app TEXT NOT NULL,
     device_id TEXT,
     device_name TEXT,
     app_version TEXT,
     chat_id TEXT,
     tools TEXT NOT NULL REFERENCES app_tool_lists (digest),
     credential TEXT,
     epoch INTEGER NOT NULL,
     says_hello INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX app_sessions_by_tools ON app_sessions (tools);
   ALTER TABLE calls ADD COLUMN session TEXT;
   ALTER TABLE calls ADD COLUMN argument_bytes INTEGER;
   ALTER TABLE calls ADD COLUMN answer_bytes INTEGER;`,
];

export interface Schema {
  readonly migrations: readonly string[];
  /** Run on a file without pages, before anything else. */
  readonly pragmas: string;
}

/** Up to this version everything was in state.sqlite. */
export const LEGACY_SCHEMA: Schema = { pragmas: '', migrations: IN_ONE_FILE };

/**
 * Data that cannot be recreated. `sum` is the checksum of a row (rows/table.ts). Deleted rows are overwritten, so that salvage
 * never brings one back.
 */
export const STATE_SCHEMA: Schema = {
  pragmas: 'PRAGMA auto_vacuum = NONE; PRAGMA secure_delete = ON;',
  migrations: [
    ...IN_ONE_FILE,
    `DROP TABLE catalogs;
     DROP TABLE calls;
     ALTER TABLE credentials ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE pins ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE approvals ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE app_tool_lists ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE app_sessions ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
     CREATE TABLE pin_doubts (
       server TEXT NOT NULL,
       origin TEXT NOT NULL,
       sum INTEGER NOT NULL,
       PRIMARY KEY (server, origin)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE counters (
       name TEXT PRIMARY KEY,
       value INTEGER NOT NULL,
       sum INTEGER NOT NULL
     ) STRICT, WITHOUT ROWID;`,
  ],
};

/** The record of calls. The file of an older Pincer becomes this one, without its other tables. */
export const CALLS_SCHEMA: Schema = {
  pragmas: 'PRAGMA auto_vacuum = INCREMENTAL;',
  migrations: [
    ...IN_ONE_FILE,
    `DROP TABLE catalogs;
     DROP TABLE credentials;
     DROP TABLE pins;
     DROP TABLE approvals;
     DROP TABLE app_sessions;
     DROP TABLE app_tool_lists;`,
  ],
};

/** Data that the hub can ask servers for again. */
export const CACHE_SCHEMA: Schema = {
  pragmas: '',
  migrations: [
    `CREATE TABLE catalogs (
       server TEXT PRIMARY KEY,
       origin TEXT NOT NULL,
       offer BLOB NOT NULL,
       sum INTEGER NOT NULL
     ) STRICT, WITHOUT ROWID;`,
  ],
};

export function migrate(db: DatabaseSync, path: string, { migrations }: Schema): void {
  const found = schemaVersion(db);
  if (found > migrations.length) throw tooNew(path, found, migrations.length);
  if (found === migrations.length) return;
  const steps = migrations.slice(found).join('\n');
  // The version is part of the transaction: a crash leaves all of it done or not begun.
  db.exec(`BEGIN IMMEDIATE; ${steps} PRAGMA user_version = ${migrations.length}; COMMIT;`);
}

export function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}

function tooNew(path: string, found: number, known: number): PincerError {
  return new PincerError(
    'CONFIG_UNREADABLE',
    `${path} was written by a newer Pincer (schema ${found}, this one knows ${known}).`,
    {
      hint: 'Update Pincer, or set PINCER_HOME to another folder.',
      data: { path, found, known },
    },
  );
}
