/** Reads the names of existing tokens while no hub runs. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** The hub writes while this reads. */
const BUSY_TIMEOUT_MS = 1_000;

/** Returns none if there is no readable file. A hub on that folder reports the problem. */
export function readCredentialNames(path: string): ReadonlySet<string> {
  if (!existsSync(path)) return new Set();
  try {
    using db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    return new Set(
      db
        .prepare('SELECT name FROM credentials')
        .all()
        .map(({ name }) => String(name)),
    );
  } catch {
    return new Set();
  }
}
