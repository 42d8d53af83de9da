import type { DatabaseSync } from 'node:sqlite';
import type { CallRecord } from '../core/ports.ts';

/** A URI may be as long as a message; whoever reads the record knows it by its beginning. */
const MAX_NAME = 512;

/**
 * One transaction per batch. A prepared insert per row costs about half of one statement over `json_each(?)`:
 * writing and reading the JSON is dearer than 500 short trips into SQLite.
 */
export function callAppender(db: DatabaseSync): (records: readonly CallRecord[]) => void {
  const insert = db.prepare(
    `INSERT INTO calls (at, caller, surface, server, method, tool, outcome, code, duration_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addRow = (call: CallRecord): void => {
    const { caller, surface, server, method, outcome, code, durationMs } = call;
    // A fraction would not fit the column, and one such row would take its whole batch with it.
    const at = Math.trunc(call.at);
    const tool = call.tool.slice(0, MAX_NAME);
    insert.run(at, caller, surface, server, method, tool, outcome, code ?? null, durationMs);
  };
  return (records) => {
    db.exec('BEGIN IMMEDIATE');
    try {
      for (const record of records) addRow(record);
      db.exec('COMMIT');
    } catch (error) {
      // SQLite has rolled back by itself where the disk is full.
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };
}
