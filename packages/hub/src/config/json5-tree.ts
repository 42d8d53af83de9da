/** Finds positions in a JSON5 text. The text must be valid: JSON5 has parsed it before. */
import JSON5 from 'json5';

export interface Json5Node {
  readonly start: number;
  readonly end: number;
  /** Only for an object. */
  readonly members?: readonly Json5Member[];
  /** Only for an array. */
  readonly items?: readonly Json5Node[];
}

export interface Json5Member {
  readonly key: string;
  readonly start: number;
  readonly value: Json5Node;
}

/** Extends from the key of a member to the end of its value, or over an item. */
export interface Json5Entry {
  readonly start: number;
  readonly end: number;
}

export const entriesOf = ({ members, items = [] }: Json5Node): readonly Json5Entry[] =>
  members?.map(({ start, value }) => ({ start, end: value.end })) ?? items;

/** Any sequence of whitespace and comments. */
const GAP = /(?:[\s\uFEFF]+|\/\*[^]*?\*\/|\/\/[^\n\r\u2028\u2029]*)*/y;
const STRING = /"(?:[^"\\]+|\\[^])*"|'(?:[^'\\]+|\\[^])*'/y;
const WORD = /[^\s,:[\]{}/"']+/y;

export function parseTree(text: string): Json5Node {
  return readValue(skipGap(text, 0));

  function readValue(start: number): Json5Node {
    if (text[start] === '{') return readObject(start);
    if (text[start] === '[') return readArray(start);
    return { start, end: endOfWord(text, start) };
  }

  function readObject(start: number): Json5Node {
    const members: Json5Member[] = [];
    let at = skipGap(text, start + 1);
    while (text[at] !== '}') {
      const keyEnd = endOfWord(text, at);
      const value = readValue(skipGap(text, skipGap(text, keyEnd) + 1));
      members.push({ key: readKey(text.slice(at, keyEnd)), start: at, value });
      at = skipComma(text, value.end);
    }
    return { start, end: at + 1, members };
  }

  function readArray(start: number): Json5Node {
    const items: Json5Node[] = [];
    let at = skipGap(text, start + 1);
    while (text[at] !== ']') {
      const item = readValue(at);
      items.push(item);
      at = skipComma(text, item.end);
    }
    return { start, end: at + 1, items };
  }
}

export const skipGap = (text: string, at: number): number => matchAt(GAP, text, at);

/** Skips to the next token after a value and its comma, if it has one. */
function skipComma(text: string, end: number): number {
  const next = skipGap(text, end);
  return text[next] === ',' ? skipGap(text, next + 1) : next;
}

function endOfWord(text: string, start: number): number {
  const end = matchAt(text[start] === '"' || text[start] === "'" ? STRING : WORD, text, start);
  if (end > start) return end;
  throw new Error(`no JSON5 token at ${start}`);
}

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** A bare name may contain escapes. */
const readKey = (source: string): string => Object.keys(JSON5.parse<object>(`{${source}:0}`))[0]!;

/** On duplicate keys the last one wins, as in JSON5. */
export const memberOf = (node: Json5Node, key: string): Json5Member | undefined =>
  node.members?.findLast((member) => member.key === key);

/** Returns the offset of a setting, or of the nearest enclosing one that exists. */
export function offsetOf(text: string, path: readonly PropertyKey[]): number {
  let node = parseTree(text);
  let offset = node.start;
  for (const step of path) {
    const member = memberOf(node, String(step));
    const next = member?.value ?? node.items?.[Number(step)];
    if (next === undefined) break;
    offset = member?.start ?? next.start;
    node = next;
  }
  return offset;
}

/** Counted from 1. */
export const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split(/\r\n|[\n\r]/).length;
