import type { DatabaseSync } from 'node:sqlite';
import type { StoredCall } from '../core/ports.ts';
import { atomically } from './atomically.ts';

/**
 * One transaction per batch. A prepared insert per row costs about half of one statement over `json_each(?)`:
 * writing and reading the JSON is dearer than 500 short trips into SQLite.
 */
export function callAppender(db: DatabaseSync): (calls: readonly StoredCall[]) => void {
  const insert = db.prepare(
    `INSERT INTO calls (at, caller, surface, server, method, tool, outcome, code, duration_ms, arguments,
       session, argument_bytes, answer_bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addRow = (call: StoredCall): void => {
    const { caller, surface, server, method, tool, outcome, code = null, durationMs } = call;
    const { session = null, argumentBytes = null, answerBytes = null } = call;
    // A fraction would not fit the column, and one such row would take its whole batch with it.
    const at = Math.trunc(call.at);
    const args = call.arguments ?? null;
    const facts = [at, caller, surface, server, method, tool, outcome, code, durationMs];
    insert.run(...facts, args, session, argumentBytes, answerBytes);
  };
  return (calls) =>
    atomically(db, () => {
      for (const call of calls) addRow(call);
    });
}
