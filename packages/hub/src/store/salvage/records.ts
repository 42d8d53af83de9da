/** Reads pages and records of an SQLite file without SQLite: https://www.sqlite.org/fileformat2.html */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Value } from '../rows/table.ts';

interface Pages extends Disposable {
  readonly count: number;
  readonly size: number;
  /** Counted from 1. Undefined beyond the end of the file. */
  read(page: number): Buffer | undefined;
}

export const MAGIC = 'SQLite format 3\0';
const PAGE_SIZE_AT = 16;
/** SQLite's default, used if page 1 does not tell the size. */
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

export interface Found {
  /** Only for tables with row ids. */
  readonly rowid: number | undefined;
  readonly values: readonly Value[];
}

const TABLE_LEAF = 0x0d;
const INDEX_LEAF = 0x0a;
/** In a table without row ids the inner pages hold rows too. */
const INDEX_INNER = 0x02;
const FILE_HEADER = 100;
/** A longer record is not ours: its length was overwritten. */
const MAX_RECORD = 256 * 1024 * 1024;

class Unreadable extends Error {}

/** Returns the readable records of a page, independent of all other pages. Empty if the page holds no rows. */
export function recordsOn(pages: Pages, number: number): Found[] {
  const page = pages.read(number);
  if (page === undefined) return [];
  const start = number === 1 ? FILE_HEADER : 0;
  const type = page[start];
  if (type !== TABLE_LEAF && type !== INDEX_LEAF && type !== INDEX_INNER) return [];
  const cells = page.readUInt16BE(start + 3);
  const pointers = start + (type === INDEX_INNER ? 12 : 8);
  const found: Found[] = [];
  for (let cell = 0; cell < cells && pointers + 2 * cell + 2 <= page.length; cell += 1) {
    try {
      found.push(readCell(pages, page, { type, at: page.readUInt16BE(pointers + 2 * cell) }));
    } catch (error) {
      if (!(error instanceof Unreadable) && !(error instanceof RangeError)) throw error;
    }
  }
  return found;
}

function readCell(pages: Pages, page: Buffer, { type, at }: { type: number; at: number }): Found {
  const cursor = { at: type === INDEX_INNER ? at + 4 : at };
  const length = varint(page, cursor);
  const rowid = type === TABLE_LEAF ? varint(page, cursor) : undefined;
  return { rowid, values: readRecord(readPayload(pages, page, { at: cursor.at, length, type })) };
}

function readPayload(
  pages: Pages,
  page: Buffer,
  { at, length, type }: { at: number; length: number; type: number },
): Buffer {
  if (length > MAX_RECORD) throw new Unreadable();
  const local = localBytes(length, pages.size, type);
  if (at + local > page.length) throw new Unreadable();
  const parts = [page.subarray(at, at + local)];
  let missing = length - local;
  let next = missing > 0 ? page.readUInt32BE(at + local) : 0;
  while (missing > 0) {
    const more = pages.read(next);
    if (more === undefined) throw new Unreadable();
    const part = more.subarray(4, 4 + Math.min(missing, pages.size - 4));
    parts.push(part);
    missing -= part.length;
    next = more.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

/** Number of bytes of a record on its own page. The rest is on overflow pages. */
function localBytes(length: number, size: number, type: number): number {
  const most = type === TABLE_LEAF ? size - 35 : Math.floor(((size - 12) * 64) / 255) - 23;
  if (length <= most) return length;
  const least = Math.floor(((size - 12) * 32) / 255) - 23;
  const fitting = least + ((length - least) % (size - 4));
  return fitting <= most ? fitting : least;
}

function readRecord(payload: Buffer): Value[] {
  const cursor = { at: 0 };
  const headerEnd = varint(payload, cursor);
  const types: number[] = [];
  while (cursor.at < headerEnd) types.push(varint(payload, cursor));
  let at = headerEnd;
  return types.map((type) => {
    const length = lengthOf(type);
    if (at + length > payload.length) throw new Unreadable();
    const value = readValue(payload.subarray(at, at + length), type);
    at += length;
    return value;
  });
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function lengthOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2);
  const length = INTEGER_BYTES[type];
  if (length === undefined) throw new Unreadable();
  return length;
}

function readValue(bytes: Buffer, type: number): Value {
  if (type >= 12) return type % 2 === 0 ? bytes : bytes.toString('utf8');
  if (type === 0) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 8 || type === 9) return type - 8;
  return type === 6 ? Number(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, bytes.length);
}

function varint(bytes: Buffer, cursor: { at: number }): number {
  let value = 0n;
  for (let index = 0; index < 9; index += 1) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) throw new Unreadable();
    if (index === 8) return toNumber((value << 8n) | BigInt(byte));
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return toNumber(value);
  }
  throw new Unreadable();
}

function toNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Unreadable();
  return Number(value);
}
