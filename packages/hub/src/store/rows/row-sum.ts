/** The checksum of a row: SQLite does not notice other bytes in the middle of a value. */
import { crc32 } from 'node:zlib';

export type Value = string | number | null | Uint8Array;

/** The table is part of it: salvage finds rows on pages that no longer say which table they are of. */
export function rowSum(table: string, values: readonly Value[]): number {
  let sum = crc32(table);
  for (const value of values) {
    const bytes = typeof value === 'number' ? String(value) : (value ?? '');
    sum = crc32(`${tagOf(value)}${bytes.length}:`, sum);
    sum = crc32(bytes, sum);
  }
  return sum;
}

const tagOf = (value: Value): string => {
  if (value === null) return 'n';
  return typeof value === 'string' ? 's' : typeof value === 'number' ? 'i' : 'b';
};
