/** What the hub has stored about apps. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type Row = Record<string, unknown>;

export function query(home: string, sql: string, file = 'state.sqlite'): Row[] {
  const db = new DatabaseSync(join(home, file), { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

/** The number of stored sessions, read from the file without using the proxy. */
export const countStoredSessions = (home: string): number =>
  query(home, 'SELECT id FROM app_sessions').length;
