/** The pages of an SQLite file, read without SQLite: https://www.sqlite.org/fileformat2.html */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface Pages extends Disposable {
  readonly count: number;
  readonly size: number;
  /** Counted from 1; undefined where the file ends before. */
  read(page: number): Buffer | undefined;
}

export const MAGIC = 'SQLite format 3\0';
const PAGE_SIZE_AT = 16;
/** What SQLite makes, and what is taken where page 1 does not say. */
const DEFAULT_PAGE_SIZE = 4_096;

export function openPages(path: string): Pages {
  const file = openSync(path, 'r');
  const { size: bytes } = fstatSync(file);
  const head = Buffer.alloc(100);
  readSync(file, head, 0, head.length, 0);
  const size = pageSize(head);
  return {
    count: Math.floor(bytes / size),
    size,
    read(page) {
      if (page < 1 || page > bytes / size) return undefined;
      const buffer = Buffer.alloc(size);
      return readSync(file, buffer, 0, size, (page - 1) * size) === size ? buffer : undefined;
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}

function pageSize(head: Buffer): number {
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) return DEFAULT_PAGE_SIZE;
  const written = head.readUInt16BE(PAGE_SIZE_AT);
  const size = written === 1 ? 65_536 : written;
  const isPowerOfTwo = size >= 512 && (size & (size - 1)) === 0;
  return isPowerOfTwo ? size : DEFAULT_PAGE_SIZE;
}
