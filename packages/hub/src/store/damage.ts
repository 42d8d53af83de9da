/** Detects damaged files, and moves them aside for inspection. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sqliteKind } from '../core/disk-error.ts';

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** How many damaged versions of a file are kept: repeated damage must not fill the disk. */
const KEPT_ASIDE = 3;

export function isDamage(error: unknown): boolean {
  const kind = sqliteKind(error);
  return kind === SQLITE_CORRUPT || kind === SQLITE_NOTADB;
}

/** Renames the file and returns its new path. Undefined if there was no file. */
export function moveAside(path: string, now: number): string | undefined {
  if (!existsSync(path)) return undefined;
  const aside = `${path}.damaged-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  renameSync(path, aside);
  // A log left behind would be replayed into the new file, so it goes along.
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
  rmSync(`${path}-shm`, { force: true });
  for (const old of damagedFiles(path).slice(KEPT_ASIDE)) removeDatabase(old);
  return aside;
}

/** Returns the newest file first. */
export function damagedFiles(path: string): string[] {
  const prefix = `${basename(path)}.damaged-`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && !name.endsWith('-wal') && !name.endsWith('-shm'))
    .toSorted()
    .toReversed()
    .map((name) => join(dirname(path), name));
}

export function removeDatabase(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
}
