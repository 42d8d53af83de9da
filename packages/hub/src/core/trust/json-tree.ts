/** JSON without loss: keeps the spelling of numbers and all members, duplicate keys included. */
import type { ByteText } from '../wire/byte-text.ts';
import { skipSpace, skipString, unquote } from '../wire/members.ts';

export type JsonTree = JsonList | JsonMembers | JsonText | JsonWord;

export interface JsonList {
  readonly kind: 'list';
  readonly elements: readonly JsonTree[];
}
export interface JsonMembers {
  readonly kind: 'members';
  /** Sorted by key. Duplicate keys keep their order. */
  readonly members: readonly (readonly [key: string, value: JsonTree])[];
}
export interface JsonText {
  readonly kind: 'text';
  readonly text: string;
}
/** A number, `true`, `false` or `null`. */
export interface JsonWord {
  readonly kind: 'word';
  readonly word: string;
}

/** Deeper texts are not read: one hostile definition must not overflow the stack. */
const MAX_DEPTH = 500;

/** The text must have passed JSON.parse. Returns undefined if it nests too deep. */
export function readTree(json: ByteText): JsonTree | undefined {
  let at = skipSpace(json, 0);

  function read(depth: number): JsonTree {
    if (depth > MAX_DEPTH) throw new TooDeep();
    const first = json[at];
    if (first === '"') return { kind: 'text', text: readString() };
    if (first === '{') return readObject(depth);
    if (first === '[') return readArray(depth);
    const start = at;
    WORD_END.lastIndex = at;
    at = WORD_END.exec(json)?.index ?? json.length;
    return { kind: 'word', word: json.slice(start, at) };
  }

  function readString(): string {
    const start = at;
    at = skipString(json, at);
    return unquote(json, start, at);
  }

  function readObject(depth: number): JsonMembers {
    const members: [string, JsonTree][] = [];
    step();
    while (json[at] !== '}') {
      const key = readString();
      at = skipSpace(json, at);
      step();
      members.push([key, read(depth + 1)]);
      next();
    }
    at++;
    return { kind: 'members', members: members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) };
  }

  function readArray(depth: number): JsonList {
    const elements: JsonTree[] = [];
    step();
    while (json[at] !== ']') {
      elements.push(read(depth + 1));
      next();
    }
    at++;
    return { kind: 'list', elements };
  }

  /** Skips one character and the space after it. */
  function step(): void {
    at = skipSpace(json, at + 1);
  }

  /** Moves to the next element or the end. */
  function next(): void {
    at = skipSpace(json, at);
    if (json[at] === ',') step();
  }

  try {
    return read(0);
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

class TooDeep extends Error {}

const WORD_END = /[\s,\]}]/g;

/** Returns the same text for trees that differ only in key order, space and string spelling. */
export function writeTree(tree: JsonTree): string {
  switch (tree.kind) {
    case 'text':
      return JSON.stringify(tree.text);
    case 'word':
      return tree.word;
    case 'list':
      return `[${tree.elements.map(writeTree).join(',')}]`;
    case 'members':
      return `{${tree.members.map(([key, value]) => `${JSON.stringify(key)}:${writeTree(value)}`).join(',')}}`;
  }
}
