/** Edits one setting of a JSON5 text. Keeps all comments and the formatting of everything else. */
import { isRecord } from '../lib/record.ts';
import { entriesOf, type Json5Entry, type Json5Node, memberOf, parseTree, skipGap } from './json5-tree.ts';

const SAME_LINE_GAP = /(?:[ \t]|\/\*[^]*?\*\/)*(?:\/\/[^\n\r]*)?/y;

/** Sets a value. The root must be an object; missing objects on the path are created. */
export function setInText(text: string, path: readonly string[], value: unknown): string {
  const style = styleOf(text);
  let node = parseTree(text);
  for (const [depth, key] of path.entries()) {
    const rest = path.slice(depth + 1);
    const member = memberOf(node, key);
    if (member === undefined)
      return insertEntry(text, node, {
        name: `${writeKey(key, style)}: `,
        value: nest(rest, value),
        style,
        depth,
      });
    // A value on the path that is not an object is replaced by one.
    if (rest.length === 0 || member.value.members === undefined)
      return splice(text, member.value, writeIn(text, member.value, nest(rest, value), { style, depth }));
    node = member.value;
  }
  return text;
}

/** Removes a member. Returns the same text if there is none. */
export function removeFromText(text: string, path: readonly string[]): string {
  const node = nodeAt(text, path.slice(0, -1));
  const member = node && memberOf(node, path.at(-1)!);
  if (node === undefined || member === undefined) return text;
  return removeEntry(text, node, node.members!.indexOf(member));
}

/** Appends an item to a list. Creates the list if it is missing. */
export function appendToText(text: string, path: readonly string[], value: unknown): string {
  const list = nodeAt(text, path);
  if (list?.items === undefined) return setInText(text, path, [value]);
  return insertEntry(text, list, { name: '', value, style: styleOf(text), depth: path.length });
}

/** Removes the item at `index` of a list. */
export function removeItemFromText(text: string, path: readonly string[], index: number): string {
  const list = nodeAt(text, path);
  return list?.items?.[index] === undefined ? text : removeEntry(text, list, index);
}

function nodeAt(text: string, path: readonly string[]): Json5Node | undefined {
  let node: Json5Node | undefined = parseTree(text);
  for (const key of path) node = node && memberOf(node, key)?.value;
  return node;
}

interface Insertion {
  /** Text before the value: a key and its colon, or nothing in a list. */
  readonly name: string;
  readonly value: unknown;
  readonly style: Json5Style;
  /** How many objects and lists enclose the one that it is inserted into. */
  readonly depth: number;
}

function insertEntry(text: string, around: Json5Node, insertion: Insertion): string {
  const { name, value, style, depth } = insertion;
  const before = entriesOf(around).at(-1);
  const outer = style.newline + style.indent.repeat(depth);
  const inner = outer + style.indent;
  if (before === undefined) {
    const entry = `${inner}${name}${writeValue(value, style, depth + 1)}`;
    const isEmpty = /^.\s*.$/.test(text.slice(around.start, around.end));
    // A comment in an empty object stays at its end.
    return isEmpty
      ? splice(text, around, `${text[around.start]}${entry}${outer}${text[around.end - 1]}`)
      : insert(text, around.start + 1, `${entry},`);
  }
  const comma = skipGap(text, before.end);
  const hasComma = text[comma] === ',';
  if (!isSpread(text, around)) {
    const entry = name + writeInline(value, style);
    return hasComma ? insert(text, comma + 1, ` ${entry},`) : insert(text, before.end, `, ${entry}`);
  }
  const entry = `${inner}${name}${writeValue(value, style, depth + 1)}`;
  if (hasComma) return insert(text, endOfLine(text, comma + 1), `${entry},`);
  // The later position first, so that the earlier one stays valid.
  return insert(insert(text, endOfLine(text, before.end), entry), before.end, ',');
}

function removeEntry(text: string, around: Json5Node, index: number): string {
  const entries = entriesOf(around);
  const entry: Json5Entry = entries[index]!;
  const before = entries[index - 1];
  const others = text.slice(around.start + 1, entry.start) + text.slice(entry.end, around.end - 1);
  if (/^[\s,]*$/.test(others)) return splice(text, around, `${text[around.start]}${text[around.end - 1]}`);
  const comma = skipGap(text, entry.end);
  const hasComma = text[comma] === ',';
  const end = endOfLine(text, hasComma ? comma + 1 : entry.end);
  const lineStart = startOfLine(text, entry.start);
  const isAlone = lineStart !== undefined && /[\n\r]/.test(text[end] ?? '');
  let without = isAlone
    ? text.slice(0, lineStart) + text.slice(end)
    : text.slice(0, entry.start) + text.slice(hasComma ? skipBlanks(text, comma + 1) : entry.end);
  // Add no trailing comma to a file without trailing commas.
  if (!hasComma && before !== undefined) {
    const earlier = skipGap(text, before.end);
    without = without.slice(0, earlier) + without.slice(earlier + 1).replace(/^[ \t]+(?=[ \t]\}|\])/, '');
  }
  return without;
}

/** A value that was on one line stays on one line. */
function writeIn(
  text: string,
  { start, end }: Json5Node,
  value: unknown,
  { style, depth }: { style: Json5Style; depth: number },
): string {
  const was = text.slice(start, end);
  const isInline = /^[[{]/.test(was) && !/[\n\r]/.test(was) && was.length > '{}'.length;
  return isInline ? writeInline(value, style) : writeValue(value, style, depth + 1);
}

const nest = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, key) => ({ [key]: inner }), value);

/** Whether the entries are on separate lines. */
const isSpread = (text: string, around: Json5Node): boolean =>
  /[\n\r]/.test(text.slice(around.start, entriesOf(around).at(-1)!.start));

/** Returns the end of the line after a value and its comment, or `at` if more follows on that line. */
function endOfLine(text: string, at: number): number {
  SAME_LINE_GAP.lastIndex = at;
  SAME_LINE_GAP.test(text);
  const end = SAME_LINE_GAP.lastIndex;
  return end === text.length || /[\n\r]/.test(text[end]!) ? end : at;
}

/** Returns the line break before an entry that is the first on its line. */
function startOfLine(text: string, at: number): number | undefined {
  const before = /(?:\r\n|[\n\r])[ \t]*$/.exec(text.slice(0, at));
  return before?.index;
}

const skipBlanks = (text: string, at: number): number => at + /^[ \t]*/.exec(text.slice(at))![0].length;
const insert = (text: string, at: number, piece: string): string =>
  text.slice(0, at) + piece + text.slice(at);
const splice = (text: string, { start, end }: Json5Node, piece: string): string =>
  text.slice(0, start) + piece + text.slice(end);

/** How a file is formatted, so that new values look like the rest of it. */
interface Json5Style {
  readonly indent: string;
  readonly newline: string;
  readonly quote: '"' | "'";
  /** Keys that are identifiers are written without quotes. */
  readonly bareKeys: boolean;
}

/** A list or object that is not longer is written on one line. */
const MAX_INLINE = 80;

function styleOf(text: string): Json5Style {
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

/** `depth` is the indentation of the line on which the value begins. */
function writeValue(value: unknown, style: Json5Style, depth: number): string {
  const inline = writeInline(value, style);
  const entries = partsOf(value, style);
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

function writeInline(value: unknown, style: Json5Style): string {
  const entries = partsOf(value, style);
  if (entries === undefined)
    return typeof value === 'string' ? writeString(value, style) : JSON.stringify(value);
  const items = entries.map(([key, item]) => key + writeInline(item, style)).join(', ');
  if (Array.isArray(value)) return `[${items}]`;
  return items === '' ? '{}' : `{ ${items} }`;
}

const writeKey = (key: string, style: Json5Style): string =>
  style.bareKeys && /^[A-Za-z_$][\w$]*$/.test(key) ? key : writeString(key, style);

function partsOf(value: unknown, style: Json5Style): [prefix: string, item: unknown][] | undefined {
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
