/** Values as a person would have written them into a file that has a style already. */
import { isRecord } from '../lib/record.ts';

export interface Json5Style {
  readonly indent: string;
  readonly newline: string;
  readonly quote: '"' | "'";
  /** Keys that are names stand without quotes. */
  readonly bareKeys: boolean;
}

/** A list or object that fits on the rest of its line stays on it. */
const MAX_INLINE = 80;

export function styleOf(text: string): Json5Style {
  const bareKeys = /[{,]\s*[A-Za-z_$][\w$]*\s*:/.test(text) && !/[{,]\s*"[^"\n]*"\s*:/.test(text);
  const hasSingle = /[:[,]\s*'/.test(text);
  const hasDouble = /[:[,]\s*"/.test(text);
  return {
    indent: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    quote: hasSingle && !hasDouble ? "'" : '"',
    bareKeys,
  };
}

/** `depth` is that of the line on which the value begins. */
export function writeValue(value: unknown, style: Json5Style, depth: number): string {
  const inline = writeInline(value, style);
  const entries = entriesOf(value, style);
  if (entries === undefined || entries.length === 0) return inline;
  const isList = Array.isArray(value);
  // A server is easier to read, and to edit, with a line for each setting.
  const isLarge = !isList && depth < 3 && (entries.length > 1 || isRecord(entries[0]![1]));
  if (!isLarge && inline.length <= MAX_INLINE) return inline;
  const inner = style.newline + style.indent.repeat(depth + 1);
  const lines = entries.map(([key, item]) => key + writeValue(item, style, depth + 1));
  const [open, close] = isList ? '[]' : '{}';
  return `${open}${inner}${lines.join(`,${inner}`)}${style.newline}${style.indent.repeat(depth)}${close}`;
}

export function writeInline(value: unknown, style: Json5Style): string {
  const entries = entriesOf(value, style);
  if (entries === undefined)
    return typeof value === 'string' ? writeString(value, style) : JSON.stringify(value);
  const items = entries.map(([key, item]) => key + writeInline(item, style)).join(', ');
  if (Array.isArray(value)) return `[${items}]`;
  return items === '' ? '{}' : `{ ${items} }`;
}

export const writeKey = (key: string, style: Json5Style): string =>
  style.bareKeys && /^[A-Za-z_$][\w$]*$/.test(key) ? key : writeString(key, style);

function entriesOf(value: unknown, style: Json5Style): [prefix: string, item: unknown][] | undefined {
  if (Array.isArray(value)) return value.map((item) => ['', item]);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).map(([key, item]) => [`${writeKey(key, style)}: `, item]);
}

function writeString(text: string, { quote }: Json5Style): string {
  const json = JSON.stringify(text);
  return quote === '"'
    ? json
    : `'${json
        .slice(1, -1)
        .replaceAll(String.raw`\"`, '"')
        .replaceAll("'", String.raw`\'`)}'`;
}
