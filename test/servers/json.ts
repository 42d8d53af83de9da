/** JSON as text: extracts values from a message without re-encoding them. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The exact text of the value at a path of keys. The text must be valid JSON; the last of duplicate keys wins. */
export function cut(text: string | undefined, ...path: string[]): string | undefined {
  let current = text;
  for (const key of path) {
    if (current === undefined) return undefined;
    current = member(current, key);
  }
  return current;
}

function member(text: string, wanted: string): string | undefined {
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return undefined;
  let found: string | undefined;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const keyEnd = skipString(text, at);
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, start);
    if (key === wanted) found = text.slice(start, end);
    at = skipSpace(text, end);
    if (text[at] !== ',') break;
    at = skipSpace(text, at + 1);
  }
  return found;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at++;
  return at;
}

function skipString(text: string, from: number): number {
  let quote = from;
  do quote = text.indexOf('"', quote + 1);
  while (isEscaped(text, quote));
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}

function skipValue(text: string, from: number): number {
  const opening = text[from];
  if (opening === '"') return skipString(text, from);
  if (opening !== '{' && opening !== '[') {
    let end = from;
    while (end < text.length && !',]} \n\t\r'.includes(text.charAt(end))) end++;
    return end;
  }
  let depth = 0;
  for (let at = from; at < text.length;) {
    const char = text[at];
    if (char === '"') {
      at = skipString(text, at);
      continue;
    }
    if (char === '{' || char === '[') depth++;
    if (char === '}' || char === ']') depth--;
    at++;
    if (depth === 0) return at;
  }
  return text.length;
}
