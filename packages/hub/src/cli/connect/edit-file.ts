/** Adds Pincer's entry to the text of a client's file. Does no I/O. */
import { editConfigText } from '../../config/edit.ts';
import { parseJson, parseToml } from '../../config/import/parse.ts';
import { isRecord, valueAt } from '../../lib/record.ts';
import type { ConnectClient, ExtraSetting } from './clients.ts';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { PincerError } from '../../core/errors.ts';
import { commonEnds } from '../../lib/text.ts';

interface WantedEntry {
  readonly name: string;
  readonly entry: object;
  readonly extra: ExtraSetting | undefined;
}

/** Throws if the file cannot be parsed, or cannot be edited without losing something. */
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

/** Returns undefined if the list already has the item. */
function withItem(list: unknown, { key, item }: ExtraSetting): unknown[] | undefined {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return items.some((each) => isRecord(each) && each[key] === item[key]) ? undefined : [...items, item];
}

const isSame = (a: unknown, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

const endWithLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

type Table = Readonly<Record<string, unknown>>;

/** Sets one table of a TOML file and changes nothing else. The table is removed and appended at the end. */
export function setTomlTable(
  text: string,
  path: readonly [string, string],
  table: Table,
  file: string,
): string {
  const [group, name] = path;
  const before = parseToml(text, file);
  const groups = isRecord(before) && isRecord(before[group]) ? before[group] : {};
  const wanted = { ...(isRecord(before) ? before : {}), [group]: { ...groups, [name]: table } };
  if (isDeepStrictEqual(plain(before), plain(wanted))) return text;
  const rest = withoutTable(text, path).trimEnd();
  const block = stringify({ [group]: { [name]: table } }).trim();
  const edited = `${rest === '' ? '' : `${rest}\n\n`}${block}\n`;
  // TOML has many notations for a table. If the edited text does not parse to the wanted value, refuse to write it.
  if (isDeepStrictEqual(plain(tryParse(edited)), plain(wanted))) return edited;
  throw new PincerError('CONFIG_INVALID', `Pincer cannot edit ${file} without losing something in it.`, {
    hint: `Add this to it yourself:\n${block}`,
  });
}

/** Removes the lines from the table's header to the next header, and those of its nested tables. */
function withoutTable(text: string, path: readonly string[]): string {
  let isInside = false;
  return text
    .split(/(?<=\n)/)
    .filter((line) => {
      const head = headOf(line);
      if (head !== undefined) isInside = path.every((key, index) => head[index] === key);
      return !isInside;
    })
    .join('');
}

/** Parses `[a."b c"]` into `a` and `b c`. Returns undefined if the line is not a table header. */
function headOf(line: string): string[] | undefined {
  if (!/^\s*\[.*\]\s*(?:#.*)?$/s.test(line)) return undefined;
  let value: unknown = tryParse(line);
  const keys: string[] = [];
  for (;;) {
    const inner: unknown = Array.isArray(value) ? (value as unknown[])[0] : value;
    const key = isRecord(inner) ? Object.keys(inner)[0] : undefined;
    if (key === undefined) return keys.length === 0 ? undefined : keys;
    keys.push(key);
    value = (inner as Table)[key];
  }
}

/** The parser's tables have no prototype, which would make equal values differ. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

function tryParse(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Unchanged lines before and after the change. */
const CONTEXT = 2;

export interface DiffLine {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
}

/** Shows everything between the first and the last changed line as one block. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before, after].map(linesOf) as [string[], string[]];
  const { start, end } = commonEnds(old, fresh);
  const marked = (sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] =>
    lines.map((text) => ({ sign, text }));
  const tail = fresh.length - end;
  if (start === old.length && start === fresh.length) return [];
  return [
    ...marked(' ', fresh.slice(Math.max(0, start - CONTEXT), start)),
    ...marked('-', old.slice(start, old.length - end)),
    ...marked('+', fresh.slice(start, tail)),
    ...marked(' ', fresh.slice(tail, tail + CONTEXT)),
  ];
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
