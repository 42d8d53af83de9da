import type { DatabaseSync } from 'node:sqlite';
import type { StoredCall } from '../core/ports.ts';

/**
 * One transaction per batch. A prepared insert per row costs about half of one statement over `json_each(?)`:
 * writing and reading the JSON is dearer than 500 short trips into SQLite.
 */
export function callAppender(db: DatabaseSync): (calls: readonly StoredCall[]) => void {
  const insert = db.prepare(
    `INSERT INTO calls (at, caller, surface, server, method, tool, outcome, code, duration_ms, arguments)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addRow = (call: StoredCall): void => {
    const { caller, surface, server, method, tool, outcome, code = null, durationMs } = call;
    // A fraction would not fit the column, and one such row would take its whole batch with it.
    const at = Math.trunc(call.at);
    const args = call.arguments ?? null;
    insert.run(at, caller, surface, server, method, tool, outcome, code, durationMs, args);
  };
  return (calls) => {
    db.exec('BEGIN IMMEDIATE');
    try {
      for (const call of calls) addRow(call);
      db.exec('COMMIT');
    } catch (error) {
      // SQLite has rolled back by itself where the disk is full.
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };
}
