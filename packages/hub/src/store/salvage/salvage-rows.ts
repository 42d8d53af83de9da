/** Salvages rows by their checksums from every readable page, independent of other pages. */
import { type Collection, type Collections, keyText, rowSum, type Value } from '../rows/table.ts';
import { foldLog } from './fold-log.ts';
import { type Found, openPages, recordsOn } from './records.ts';

interface FoundRow {
  readonly collection: Collection<unknown>;
  readonly row: Value[];
  readonly rowid: number;
}

export function salvageRows(path: string, collections: Collections): void {
  const seen = new Map<string, number>();
  // Row ids, if there are any, grow in the order of insertion.
  for (const { collection, row } of findRows(path, collections).toSorted((a, b) => a.rowid - b.rowid)) {
    const { table, keys } = collection.codec;
    const key = row.slice(0, keys);
    const text = keyText([table, ...key]);
    const sum = rowSum(table, row);
    const before = seen.get(text);
    seen.set(text, sum);
    // If there are two versions of a row, it is unknown which one is later.
    if (before !== undefined && before !== sum) collection.delete(key);
    else collection.set(collection.codec.fromRow(row));
  }
}

function findRows(path: string, collections: Collections): FoundRow[] {
  using folded = foldLog(path);
  if (folded === undefined) return [];
  using pages = openPages(folded.path);
  const found: FoundRow[] = [];
  for (let page = 1; page <= pages.count; page += 1)
    for (const record of recordsOn(pages, page)) {
      const columns = columnsOf(record);
      const row = columns.slice(0, -1);
      const collection = collections.find(
        ({ codec }) => codec.columns.length === row.length && rowSum(codec.table, row) === columns.at(-1),
      );
      if (collection !== undefined) found.push({ collection, row, rowid: record.rowid ?? 0 });
    }
  return found;
}

/** If a table has row ids, its first column represents them and is empty. */
const columnsOf = ({ rowid, values }: Found): Value[] =>
  rowid === undefined ? [...values] : values.slice(1);
