/** One change to a JSON5 text that leaves every comment, and the form of everything else, as it is. */
import { memberOf, parseTree, skipGap, type Json5Member, type Json5Node } from './json5-tree.ts';
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
      return insertMember(text, node, { key, value: nest(rest, value), style, depth });
    // What is no object cannot have members; what was there gives way to one that has.
    if (rest.length === 0 || member.value.members === undefined)
      return splice(text, member.value, writeIn(text, member.value, nest(rest, value), { style, depth }));
    node = member.value;
  }
  return text;
}

/** Nothing is said where it is not there. */
export function removeFromText(text: string, path: readonly string[]): string {
  let node: Json5Node | undefined = parseTree(text);
  for (const key of path.slice(0, -1)) node = node && memberOf(node, key)?.value;
  const member = node && memberOf(node, path.at(-1)!);
  return node === undefined || member === undefined ? text : removeMember(text, node, member);
}

interface Insertion {
  readonly key: string;
  readonly value: unknown;
  readonly style: Json5Style;
  /** How many objects are around the member. */
  readonly depth: number;
}

function insertMember(text: string, object: Json5Node, insertion: Insertion): string {
  const { key, value, style, depth } = insertion;
  const before = object.members!.at(-1);
  const name = `${writeKey(key, style)}: `;
  const outer = style.newline + style.indent.repeat(depth);
  const inner = outer + style.indent;
  if (before === undefined) {
    const member = `${inner}${name}${writeValue(value, style, depth + 1)}`;
    const isEmpty = /^\{\s*\}$/.test(text.slice(object.start, object.end));
    // A comment in an empty object stays at its end.
    return isEmpty
      ? splice(text, object, `{${member}${outer}}`)
      : insert(text, object.start + 1, `${member},`);
  }
  const comma = skipGap(text, before.value.end);
  const hasComma = text[comma] === ',';
  if (!isSpread(text, object)) {
    const member = name + writeInline(value, style);
    return hasComma ? insert(text, comma + 1, ` ${member},`) : insert(text, before.value.end, `, ${member}`);
  }
  const member = `${inner}${name}${writeValue(value, style, depth + 1)}`;
  if (hasComma) return insert(text, endOfLine(text, comma + 1), `${member},`);
  // The later place first: the other one then is still where it was.
  return insert(insert(text, endOfLine(text, before.value.end), member), before.value.end, ',');
}

function removeMember(text: string, object: Json5Node, member: Json5Member): string {
  const { members = [] } = object;
  const others = text.slice(object.start + 1, member.start) + text.slice(member.value.end, object.end - 1);
  if (/^[\s,]*$/.test(others)) return splice(text, object, '{}');
  const index = members.indexOf(member);
  const before = members[index - 1];
  const comma = skipGap(text, member.value.end);
  const hasComma = text[comma] === ',';
  const end = endOfLine(text, hasComma ? comma + 1 : member.value.end);
  const lineStart = startOfLine(text, member.start);
  const isAlone = lineStart !== undefined && /[\n\r]/.test(text[end] ?? '');
  let without = isAlone
    ? text.slice(0, lineStart) + text.slice(end)
    : text.slice(0, member.start) + text.slice(hasComma ? skipBlanks(text, comma + 1) : member.value.end);
  // A file without trailing commas stays one.
  if (!hasComma && before !== undefined) {
    const earlier = skipGap(text, before.value.end);
    without = without.slice(0, earlier) + without.slice(earlier + 1).replace(/^[ \t]+(?=[ \t]\})/, '');
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

/** Whether the members stand on lines of their own. */
const isSpread = (text: string, { start, members = [] }: Json5Node): boolean =>
  /[\n\r]/.test(text.slice(start, members.at(-1)!.start));

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
