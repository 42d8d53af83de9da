/** Cuts JSON into its members without copying or rewriting them. The text must have passed JSON.parse. */
import { fromByteText, quoted, type ByteText } from './byte-text.ts';

export interface Member {
  readonly key: string;
  /** The value's unchanged bytes. */
  readonly raw: ByteText;
}

export class DuplicateKeyError extends Error {
  readonly key: string;
  constructor(key: string) {
    super(`The key ${JSON.stringify(key)} occurs twice.`);
    this.key = key;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Returns an object's members in order. Keys are compared after unescaping: `"n\u0061me"` is `"name"`. */
export function readMembers(text: ByteText): Member[] {
  const members: Member[] = [];
  let keys: Set<string> | undefined;
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const keyEnd = skipString(text, at);
    const key = unquote(text, at, keyEnd);
    if (members.length >= FEW_KEYS) keys ??= keysOf(members);
    if (keys === undefined ? findMember(members, key) !== undefined : keys.has(key))
      throw new DuplicateKeyError(key);
    keys?.add(key);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, start);
    members.push({ key, raw: text.slice(start, end) });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return members;
}

/** Up to this many keys a linear search is faster; beyond it a set avoids quadratic cost. */
const FEW_KEYS = 8;

const keysOf = (members: readonly Member[]): Set<string> => new Set(members.map(({ key }) => key));

/** Returns an array's elements, each as its unchanged bytes. */
export function readElements(text: ByteText): ByteText[] {
  const elements: ByteText[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = skipValue(text, at);
    elements.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return elements;
}

export const isObject = (raw: ByteText): boolean => raw.charCodeAt(skipSpace(raw, 0)) === OPEN_BRACE;

export const findMember = (members: readonly Member[], key: string): ByteText | undefined => {
  for (const member of members) if (member.key === key) return member.raw;
  return undefined;
};

/** Replaces the values of some keys; `undefined` removes a member, a new key is appended. */
export function editMembers(
  members: readonly Member[],
  replace: Readonly<Record<string, ByteText | undefined>>,
): Member[] {
  const edited: Member[] = [];
  for (const member of members) {
    if (!Object.hasOwn(replace, member.key)) edited.push(member);
    else if (replace[member.key] !== undefined) edited.push({ key: member.key, raw: replace[member.key]! });
  }
  for (const key in replace) {
    const raw = replace[key];
    if (raw !== undefined && findMember(members, key) === undefined) edited.push({ key, raw });
  }
  return edited;
}

/**
 * Writes members as an object. `replace` overrides some values; `undefined` removes a member, a new key is appended.
 */
export function writeMembers(
  members: readonly Member[],
  replace: Readonly<Record<string, ByteText | undefined>> = {},
): ByteText {
  let out = '{';
  for (const { key, raw } of members) {
    const value = Object.hasOwn(replace, key) ? replace[key] : raw;
    if (value === undefined) continue;
    out += `${out === '{' ? '' : ','}${quoted(key)}:${value}`;
  }
  for (const key in replace) {
    const value = replace[key];
    if (value === undefined || findMember(members, key) !== undefined) continue;
    out += `${out === '{' ? '' : ','}${quoted(key)}:${value}`;
  }
  return `${out}}`;
}

export function unquote(text: ByteText, start: number, end: number): string {
  for (let at = start + 1; at < end - 1; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH || code > 0x7e) return JSON.parse(fromByteText(text.slice(start, end))) as string;
  }
  return text.slice(start + 1, end - 1);
}

export function skipSpace(text: ByteText, at: number): number {
  let code = text.charCodeAt(at);
  while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at);
  return at;
}

/** `at` is the opening quote; returns the position after the closing quote. */
export function skipString(text: ByteText, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Returns whether an odd number of backslashes precedes `at`. */
export function isEscaped(text: ByteText, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function skipValue(text: ByteText, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return skipString(text, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(text, at);
  let code = first;
  while (code > 0x20 && code !== COMMA && code !== CLOSE_BRACE && code !== CLOSE_BRACKET)
    code = text.charCodeAt(++at);
  return at;
}

function skipContainer(text: ByteText, at: number): number {
  let depth = 0;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    at++;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at;
  }
}

/** A text up to this size is always cheap to parse. */
const SMALL_BYTES = 1024 * 1024;
/** Values are limited, not bytes: a megabyte of text takes a millisecond to read, a million values take a second. */
export const MAX_VALUES = 1_000_000;
export const MAX_DEPTH = 1_000;

/** Returns false for a large text with too many or too deeply nested values. The text need not be JSON. */
export function isModest(text: ByteText): boolean {
  if (text.length <= SMALL_BYTES) return true;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH || ++values > MAX_VALUES) return false;
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++values > MAX_VALUES) return false;
  }
  return true;
}

/** The position of the closing quote, or the end of the text if there is none. */
function endOfString(text: ByteText, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Returns the raw value at a path of keys. Throws DuplicateKeyError if an object on the path has a duplicate key. */
export function memberAt(root: ByteText, path: readonly string[]): ByteText | undefined {
  let raw: ByteText | undefined = root;
  for (const key of path) {
    if (raw === undefined || !isObject(raw)) return undefined;
    raw = findMember(readMembers(raw), key);
  }
  return raw;
}
