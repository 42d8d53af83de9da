/** Rows of one table, each with its checksum. */
import type { DatabaseSync } from 'node:sqlite';
import { rowSum, type Value } from './row-sum.ts';

/** How something is written as a row. */
export interface Codec<T> {
  readonly table: string;
  /** Without `sum`. The key comes first. */
  readonly columns: readonly string[];
  /** So many columns are the key. */
  readonly keys: number;
  readonly order?: string;
  keyOf(item: T): Value[];
  toRow(item: T): Value[];
  fromRow(row: readonly Value[]): T;
}

export interface Table {
  /** Undefined in place of a row that is not what was written. */
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

/** What a row is known by in memory. */
export const keyText = (key: readonly Value[]): string => JSON.stringify(key);
