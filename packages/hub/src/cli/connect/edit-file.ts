/** A client's file with Pincer in it. Pure: text in, text out. */
import { editConfigText } from '../../config/edit.ts';
import { parseJson } from '../../config/import/parse.ts';
import { isRecord } from '../../core/is-record.ts';
import { valueAt } from '../../core/value-at.ts';
import type { ConnectClient, ExtraSetting } from './client.ts';
import { setTomlTable } from './edit-toml.ts';

export interface WantedEntry {
  readonly name: string;
  readonly entry: object;
  readonly extra: ExtraSetting | undefined;
}

/** Throws where the file cannot be read, or not be edited without losing something. */
export function editClientFile(
  text: string,
  file: string,
  { format, path }: Pick<ConnectClient, 'format' | 'path'>,
  { name, entry, extra }: WantedEntry,
): string {
  if (format === 'toml') return setTomlTable(text, [path[0]!, name], { ...entry }, file);
  const value = parseJson(text, file);
  const list = extra === undefined ? undefined : withItem(valueAt(value, extra.path), extra);
  const changes = [
    ...(isSame(valueAt(value, [...path, name]), entry) ? [] : [{ path: [...path, name], value: entry }]),
    ...(extra === undefined || list === undefined ? [] : [{ path: extra.path, value: list }]),
  ];
  if (changes.length === 0) return text;
  return endWithLine(editConfigText(text.trim() === '' ? '{}\n' : text, changes, file));
}

/** Undefined when the list has such an item. */
function withItem(list: unknown, { key, item }: ExtraSetting): unknown[] | undefined {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return items.some((each) => isRecord(each) && each[key] === item[key]) ? undefined : [...items, item];
}

const isSame = (a: unknown, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

const endWithLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
