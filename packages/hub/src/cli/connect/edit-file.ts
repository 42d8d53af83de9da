/** A client's file with Pincer in it. Pure: text in, text out. */
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

type Table = Readonly<Record<string, unknown>>;

/**
 * One table of a TOML file, set without a change to anything else in it. The table is taken out where it is, and
 * written at the end.
 */
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
  // Tables can be written in many ways: what is saved says what was meant, or nothing is.
  if (isDeepStrictEqual(plain(tryParse(edited)), plain(wanted))) return edited;
  throw new PincerError(
    'CONFIG_INVALID',
    `${file} is written in a way that Pincer does not edit by itself.`,
    { hint: `Put this into it by hand:\n${block}` },
  );
}

/** Lines from the table's head to the next head; the same for tables within it. */
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

/** `[a."b c"]` is `a` and `b c`; undefined for a line that is no head. */
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

/** The library's tables have no prototype. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

function tryParse(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** What changed between two texts, as lines with `-` and `+`: one block, with a little of what is around it. */
const CONTEXT = 2;

export interface DiffLine {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
}

/** Good for one edit in one place, which is all that is made here. */
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
