import { existsSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

class DamagedFile extends Error {}

export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedFile) return true;
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  // The low byte is the kind, the rest a detail.
  const kind = Number(error.errcode) & 0xff;
  return kind === SQLITE_CORRUPT || kind === SQLITE_NOTADB;
}

/**
 * Checks the small tables in full, and of `calls` the two ends that appending and pruning touch: all of it may
 * be hundreds of megabytes, and a start must not wait for that.
 */
export function assertWhole(db: DatabaseSync): void {
  for (const table of ['catalogs', 'credentials', 'app_tool_lists', 'app_sessions']) {
    const finding = db.prepare(`PRAGMA quick_check(${table})`).get()?.['quick_check'];
    if (finding !== 'ok') throw new DamagedFile(`${table}: ${String(finding)}`);
  }
  for (const order of ['ASC', 'DESC']) db.prepare(`SELECT * FROM calls ORDER BY id ${order} LIMIT 1`).get();
}

/** Renames the file for whoever wants to rescue it; returns its new path. */
export function moveAside(path: string, now: number): string {
  const aside = `${path}.damaged-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  renameSync(path, aside);
  // A log left behind would be replayed into the new file, so it goes along.
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
  rmSync(`${path}-shm`, { force: true });
  return aside;
}
