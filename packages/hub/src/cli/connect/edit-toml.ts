/** One table of a TOML file, set without a change to anything else in it. */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { parseToml } from '../../config/import/parse.ts';
import { PincerError } from '../../core/errors.ts';
import { isRecord } from '../../core/is-record.ts';

type Table = Readonly<Record<string, unknown>>;

/** The table is taken out where it is, and written at the end. */
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
