/** state.sqlite, with all its rows in memory. */
import { openRowFile, type RowFile } from '../rows/row-file.ts';
import { STATE_SCHEMA } from '../schema.ts';
import { collectionsOf, emptyRows, type StateRows } from './state-rows.ts';

export interface StateFile extends RowFile {
  readonly rows: StateRows;
  /** Sessions of apps that were salvaged without their tools, and removed. */
  readonly dropped: readonly string[];
}

export interface StateFileOptions {
  now(): number;
  onRewritten(movedTo: string | undefined): void;
}

export function openStateFile(path: string, options: StateFileOptions): StateFile {
  const rows = emptyRows();
  const dropped: string[] = [];
  const file = openRowFile(path, {
    ...options,
    schema: STATE_SCHEMA,
    collections: collectionsOf(rows),
    onSalvaged: () => void dropped.push(...dropOrphans(rows)),
  });
  return { ...file, rows, dropped };
}

/** Removes sessions whose list of tools is lost, and lists without a session. */
export function dropOrphans({ sessions, lists }: StateRows): string[] {
  const orphans = sessions.all().filter(({ list }) => lists.get(list) === undefined);
  for (const { id } of orphans) sessions.delete([id]);
  const used = new Set(sessions.all().map(({ list }) => list));
  for (const { digest } of lists.all()) if (!used.has(digest)) lists.delete([digest]);
  return orphans.map(({ id }) => id);
}
