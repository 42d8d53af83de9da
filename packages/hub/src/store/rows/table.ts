/** Tables whose rows carry a checksum, on disk (`Table`) and in memory (`Collection`). */
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

export type Value = string | number | null | Uint8Array;

/**
 * The checksum of a row: SQLite does not notice changed bytes inside a value. It includes the table, because salvage finds
 * rows on pages that no longer say which table they belong to.
 */
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

/** Converts an item to a row and back. */
export interface Codec<T> {
  readonly table: string;
  /** Without `sum`. The key comes first. */
  readonly columns: readonly string[];
  /** The number of columns that form the key. */
  readonly keys: number;
  readonly order?: string;
  keyOf(item: T): Value[];
  toRow(item: T): Value[];
  fromRow(row: readonly Value[]): T;
}

export interface Table {
  /** Returns undefined in place of a row whose checksum is wrong. */
  load(): (Value[] | undefined)[];
  put(row: readonly Value[]): void;
  remove(key: readonly Value[]): void;
}

export function openTable(db: DatabaseSync, { table, columns, keys, order }: Codec<unknown>): Table {
  const all = [...columns, 'sum'];
  const where = columns
    .slice(0, keys)
    .map((column) => `${column} = ?`)
    .join(' AND ');
  const select = db.prepare(
    `SELECT ${all.join(', ')} FROM ${table} ORDER BY ${order ?? columns.slice(0, keys).join(', ')}`,
  );
  const update = db.prepare(
    `UPDATE ${table} SET ${all.map((column) => `${column} = ?`).join(', ')} WHERE ${where}`,
  );
  const insert = db.prepare(
    `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
  );
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${where}`);
  return {
    load: () =>
      select.all().map((found) => {
        const row = columns.map((column) => found[column] as Value);
        return rowSum(table, row) === found['sum'] ? row : undefined;
      }),
    put(row) {
      const sum = rowSum(table, row);
      const { changes } = update.run(...row, sum, ...row.slice(0, keys));
      if (changes === 0) insert.run(...row, sum);
    },
    remove: (key) => void remove.run(...key),
  };
}

/** The key of a row in memory. */
export const keyText = (key: readonly Value[]): string => JSON.stringify(key);

/** The rows of one table in memory. */
export class Collection<T> {
  readonly codec: Codec<T>;
  readonly #items = new Map<string, T>();

  constructor(codec: Codec<T>) {
    this.codec = codec;
  }

  get(...key: readonly Value[]): T | undefined {
    return this.#items.get(keyText(key));
  }

  all(): T[] {
    return [...this.#items.values()];
  }

  set(item: T): void {
    this.#items.set(keyText(this.codec.keyOf(item)), item);
  }

  delete(key: readonly Value[]): void {
    this.#items.delete(keyText(key));
  }
}

/** Collections of different types. */
export type Collections = readonly Collection<unknown>[];

export interface Change {
  readonly collection: Collection<unknown>;
  readonly item?: unknown;
  /** The key of the row to remove. */
  readonly key?: readonly Value[];
}

export const put = <T>(collection: Collection<T>, item: T): Change => ({
  collection,
  item,
});

export const drop = <T>(collection: Collection<T>, ...key: readonly Value[]): Change => ({
  collection,
  key,
});
