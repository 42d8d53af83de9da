/** One change to a JSON5 text that leaves every comment, and the form of everything else, as it is. */
import { entriesOf, memberOf, parseTree, skipGap, type Json5Entry, type Json5Node } from './json5-tree.ts';
import { styleOf, writeInline, writeKey, writeValue, type Json5Style } from './json5-write.ts';

const SAME_LINE_GAP = /(?:[ \t]|\/\*[^]*?\*\/)*(?:\/\/[^\n\r]*)?/y;

/** The root is an object. What is missing on the way there is made. */
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
    // What is no object cannot have members; what was there gives way to one that has.
    if (rest.length === 0 || member.value.members === undefined)
      return splice(text, member.value, writeIn(text, member.value, nest(rest, value), { style, depth }));
    node = member.value;
  }
  return text;
}

/** Nothing is said where it is not there. */
export function removeFromText(text: string, path: readonly string[]): string {
  const node = nodeAt(text, path.slice(0, -1));
  const member = node && memberOf(node, path.at(-1)!);
  if (node === undefined || member === undefined) return text;
  return removeEntry(text, node, node.members!.indexOf(member));
}

/** One more at the end of a list; where there is none, it is begun. */
export function appendToText(text: string, path: readonly string[], value: unknown): string {
  const list = nodeAt(text, path);
  if (list?.items === undefined) return setInText(text, path, [value]);
  return insertEntry(text, list, { name: '', value, style: styleOf(text), depth: path.length });
}

/** An item of a list, by its place. */
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
  /** What stands before the value: a key and its colon, or nothing in a list. */
  readonly name: string;
  readonly value: unknown;
  readonly style: Json5Style;
  /** How many objects and lists are around that which it goes into. */
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
  // The later place first: the other one then is still where it was.
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
  // A file without trailing commas stays one.
  if (!hasComma && before !== undefined) {
    const earlier = skipGap(text, before.end);
    without = without.slice(0, earlier) + without.slice(earlier + 1).replace(/^[ \t]+(?=[ \t]\}|\])/, '');
  }
  return without;
}

/** Objects that stood on one line stay on it. */
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

/** Whether what is in it stands on lines of its own. */
const isSpread = (text: string, around: Json5Node): boolean =>
  /[\n\r]/.test(text.slice(around.start, entriesOf(around).at(-1)!.start));

/** Where the line ends on which a value stands, or the next thing on it begins. */
function endOfLine(text: string, at: number): number {
  SAME_LINE_GAP.lastIndex = at;
  SAME_LINE_GAP.test(text);
  const end = SAME_LINE_GAP.lastIndex;
  return end === text.length || /[\n\r]/.test(text[end]!) ? end : at;
}

/** The line break before something that is the first on its line. */
function startOfLine(text: string, at: number): number | undefined {
  const before = /(?:\r\n|[\n\r])[ \t]*$/.exec(text.slice(0, at));
  return before?.index;
}

const skipBlanks = (text: string, at: number): number => at + /^[ \t]*/.exec(text.slice(at))![0].length;
const insert = (text: string, at: number, piece: string): string =>
  text.slice(0, at) + piece + text.slice(at);
const splice = (text: string, { start, end }: Json5Node, piece: string): string =>
  text.slice(0, start) + piece + text.slice(end);
