/** Whether a template can produce a URI (RFC 6570, levels 1 to 3, and explode). Takes at most length times parts steps. */

export type UriMatcher = (uri: string) => boolean;

/** Longer URIs never match. */
const MAX_URI_LENGTH = 4_096;
const MAX_PARTS = 64;

interface Hole {
  /** It begins with this character or is empty. Without an opening character, it has at least one character. */
  readonly opens: string;
  /** Characters that it cannot contain. */
  readonly ends: string;
}

type Part = string | Hole;

const HOLES: Readonly<Record<string, Hole>> = {
  '+': { opens: '', ends: '' },
  '#': { opens: '#', ends: '' },
  '.': { opens: '.', ends: '/' },
  '/': { opens: '/', ends: '/' },
  ';': { opens: ';', ends: '/?#' },
  '?': { opens: '?', ends: '#' },
  '&': { opens: '&', ends: '#' },
};
const SIMPLE: Hole = { opens: '', ends: '/' };
/** The values of `{/a,b}` and `{/a*}` are joined with `/`. */
const SEGMENTS: Hole = { opens: '/', ends: '' };

/** Returns undefined for an invalid template. */
export function compileUriTemplate(template: string): UriMatcher | undefined {
  const parts = parseTemplate(template);
  if (parts === undefined || parts.length > MAX_PARTS) return undefined;
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  return (uri) =>
    uri.length <= MAX_URI_LENGTH &&
    (typeof first !== 'string' || uri.startsWith(first)) &&
    (typeof last !== 'string' || uri.endsWith(last)) &&
    matches(parts, uri);
}

function parseTemplate(template: string): Part[] | undefined {
  const parts: Part[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    const literal = template.slice(at, open === -1 ? undefined : open);
    if (literal.includes('}')) return undefined;
    if (literal !== '') parts.push(literal);
    if (open === -1) break;
    const close = template.indexOf('}', open);
    const hole = close === -1 ? undefined : parseExpression(template.slice(open + 1, close));
    if (hole === undefined) return undefined;
    parts.push(hole);
    at = close + 1;
  }
  return parts;
}

function parseExpression(expression: string): Hole | undefined {
  const hole = HOLES[expression.charAt(0)];
  const names = hole === undefined ? expression : expression.slice(1);
  if (names === '' || names.includes('{')) return undefined;
  if (hole === HOLES['/'] && /[,*]/.test(names)) return SEGMENTS;
  return hole ?? SIMPLE;
}

/** Walks through the parts with the set of all positions that can be reached so far. */
function matches(parts: readonly Part[], uri: string): boolean {
  let reached = new Uint8Array(uri.length + 1);
  reached[0] = 1;
  for (const part of parts) {
    reached = typeof part === 'string' ? afterLiteral(reached, uri, part) : afterHole(reached, uri, part);
    if (!reached.includes(1)) return false;
  }
  return reached[uri.length] === 1;
}

function afterLiteral(from: Uint8Array, uri: string, literal: string): Uint8Array<ArrayBuffer> {
  const to = new Uint8Array(from.length);
  for (let at = from.indexOf(1); at !== -1; at = from.indexOf(1, at + 1))
    if (uri.startsWith(literal, at)) to[at + literal.length] = 1;
  return to;
}

function afterHole(from: Uint8Array, uri: string, { opens, ends }: Hole): Uint8Array<ArrayBuffer> {
  const to = opens === '' ? new Uint8Array(from.length) : Uint8Array.from(from);
  let isInside = false;
  for (let at = 0; at < uri.length; at++) {
    const char = uri.charAt(at);
    const opensHere = from[at] === 1 && (opens === '' || char === opens);
    const goesOn: boolean = (isInside || (opensHere && opens === '')) && !ends.includes(char);
    isInside = goesOn || (opensHere && opens !== '');
    if (isInside) to[at + 1] = 1;
  }
  return to;
}
