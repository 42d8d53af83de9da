/** Writes the log of a damaged file into a copy of the file, which is then read page by page. */
import { closeSync, copyFileSync, existsSync, openSync, statSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { removeDatabase } from '../damage.ts';
import { MAGIC, openPages } from './records.ts';

export interface FoldedFile extends Disposable {
  readonly path: string;
}

/** Returns undefined if there is neither file nor log. */
export function foldLog(path: string): FoldedFile | undefined {
  const log = `${path}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0)
    return existsSync(path) ? { path, [Symbol.dispose]: () => undefined } : undefined;
  const copy = `${path}.salvage`;
  removeDatabase(copy);
  if (existsSync(path)) copyFileSync(path, copy);
  copyFileSync(log, `${copy}-wal`);
  foldInPlace(copy);
  return { path: copy, [Symbol.dispose]: () => removeDatabase(copy) };
}

/** Lets SQLite apply the log. If page 1 is gone, writes one that only tells the page size. */
export function foldInPlace(path: string): void {
  if (!existsSync(`${path}-wal`)) return;
  writeFirstPage(path);
  try {
    using db = new DatabaseSync(path);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Only the pages that are already in the file can be read.
  }
}

/** A first page in the log replaces this one. */
function writeFirstPage(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  using pages = openPages(path);
  if (pages.read(1)?.toString('latin1', 0, MAGIC.length) === MAGIC) return;
  const file = openSync(path, 'r+');
  try {
    writeSync(file, emptyFirstPage(pages.size, Math.max(pages.count, 1)), 0, pages.size, 0);
  } finally {
    closeSync(file);
  }
}

/** See https://www.sqlite.org/fileformat2.html#the_database_header */
function emptyFirstPage(size: number, count: number): Buffer {
  const page = Buffer.alloc(size);
  page.write(MAGIC, 'latin1');
  page.writeUInt16BE(size === 65_536 ? 1 : size, 16);
  // WAL mode for reading and writing, nothing reserved, and fractions that never differ.
  page.set([2, 2, 0, 64, 32, 32], 18);
  page.writeUInt32BE(1, 24);
  page.writeUInt32BE(count, 28);
  page.writeUInt32BE(4, 44);
  page.writeUInt32BE(1, 56);
  page.writeUInt32BE(1, 92);
  // A table without rows.
  page[100] = 0x0d;
  page.writeUInt16BE(size === 65_536 ? 0 : size, 105);
  return page;
}
