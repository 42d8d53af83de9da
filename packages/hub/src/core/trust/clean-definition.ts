/**
 * Makes a server's texts for people and models safe to show: `description` and `title` at any depth, and its
 * instructions. Every other byte stays unchanged.
 */
import { DATA_KEYWORDS, NAME_MAPS } from '../catalog/legacy-output-schema.ts';
import { readAbout, type ServerAbout } from '../catalog/server-about.ts';
import { quoted, type ByteText } from '../wire/byte-text.ts';
import { plainString } from '../wire/message.ts';
import { skipString, unquote } from '../wire/members.ts';
import { HIDDEN_IN_BLOCK, HIDDEN_IN_LINE, replaceHidden } from './hidden-characters.ts';

/** Values of a schema that programs compare are `data`, never texts, even under a key such as `title`. */
type Inside = 'about' | 'definition' | 'schema' | 'names' | 'data';

const SCHEMAS: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema']);
const TEXTS: ReadonlySet<string> = new Set(['description', 'title']);

export const cleanDefinition = (raw: ByteText, maxChars: number): ByteText =>
  cleaned(raw, 'definition', maxChars);

export function cleanAbout(about: ServerAbout, maxChars: number): ServerAbout {
  const raw = cleaned(about.raw, 'about', maxChars);
  return raw === about.raw ? about : readAbout(raw);
}

const cleaned = (raw: ByteText, root: Inside, maxChars: number): ByteText =>
  mayHide(raw) || raw.length > maxChars ? rewriteStrings(raw, rulesFor(root, maxChars)) : raw;

/** Any non-ASCII byte, and every escape for a character other than a line break or a tab. */
const SUSPICIOUS = /[\u007f-\u00ff]|\\[bfru]/;
const mayHide = (raw: ByteText): boolean => SUSPICIOUS.test(raw);

const rulesFor = (root: Inside, maxChars: number): StringRules<Inside> => ({
  root,
  enter,
  rewrite(inside, key, token) {
    if (key === undefined || !isText(inside, key)) return token;
    if (token.length <= maxChars && !mayHide(token)) return token;
    const text = plainString(token);
    const clean = cleanText(text, maxChars);
    return clean === text ? token : quoted(clean);
  },
});

function enter(inside: Inside, key: string | undefined): Inside {
  switch (inside) {
    case 'data':
      return 'data';
    case 'names':
      return 'schema';
    case 'schema':
      if (key === undefined) return 'schema';
      return DATA_KEYWORDS.has(key) ? 'data' : NAME_MAPS.has(key) ? 'names' : 'schema';
    case 'about':
    case 'definition':
      // The outermost object has no key and keeps its context.
      if (key === undefined) return inside;
      return SCHEMAS.has(key) ? 'schema' : 'definition';
  }
}

const isText = (inside: Inside, key: string): boolean =>
  inside !== 'data' && (TEXTS.has(key) || (inside === 'about' && key === 'instructions'));

interface StringRules<C> {
  /** The context of the whole text. */
  readonly root: C;
  /** The context of an object or array under `key`; undefined for an element of an array. */
  enter(inside: C, key: string | undefined): C;
  /** Returns the new token for a string under `key`, quotes included. */
  rewrite(inside: C, key: string | undefined, token: ByteText): ByteText;
}

interface Level<C> {
  readonly isObject: boolean;
  readonly context: C;
}

const STRUCTURE = /["{}[\],]/g;

/**
 * Rewrites strings inside JSON and keeps every other byte. The text must have passed JSON.parse. Not recursive, because a
 * definition may nest arbitrarily deep.
 */
export function rewriteStrings<C>(json: ByteText, rules: StringRules<C>): ByteText {
  const outer: Level<C>[] = [];
  let level: Level<C> = { isObject: false, context: rules.root };
  let key: string | undefined;
  let isKeyNext = false;
  let out = '';
  let copied = 0;
  let at = 0;
  for (;;) {
    STRUCTURE.lastIndex = at;
    const found = STRUCTURE.exec(json);
    if (found === null) return copied === 0 ? json : out + json.slice(copied);
    const start = found.index;
    at = start + 1;
    switch (found[0]) {
      case '"': {
        at = skipString(json, start);
        if (isKeyNext) {
          key = unquote(json, start, at);
          isKeyNext = false;
          break;
        }
        const token = json.slice(start, at);
        const rewritten = rules.rewrite(level.context, key, token);
        if (rewritten === token) break;
        out += json.slice(copied, start) + rewritten;
        copied = at;
        break;
      }
      case ',':
        isKeyNext = level.isObject;
        break;
      case '}':
      case ']':
        level = outer.pop()!;
        key = undefined;
        break;
      default:
        outer.push(level);
        level = { isObject: found[0] === '{', context: rules.enter(level.context, key) };
        isKeyNext = level.isObject;
        key = undefined;
    }
  }
}

/** Appended to a text that was cut. */
export const CUT_MARK = ' … [cut by Pincer]';

/**
 * What terminals obey (ECMA-48): control sequences, terminated strings, and short escapes. For an unterminated string
 * only the introducer is removed: otherwise the rest would be hidden from people but not from models.
 */
const ESCAPE_SEQUENCES = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -\/]*[@-~]`,
    String.raw`(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -\/]*[0-~]`,
  ].join('|'),
  'g',
);

/** Every line break of Unicode. */
const LINE_BREAKS = /\r\n|[\v\f\r\u0085\u2028\u2029]/g;

const nothing = (): string => '';

/** Returns the text without hidden characters, cut to `maxChars`. */
export function cleanText(text: string, maxChars: number): string {
  const clean = withoutHidden(text);
  if (clean.length <= maxChars) return clean;
  const cut = clean.slice(0, Math.max(0, maxChars - CUT_MARK.length)) + CUT_MARK;
  // The cut may leave half a surrogate pair, or a joiner without a partner.
  return withoutHidden(cut.slice(0, maxChars));
}

const withoutHidden = (text: string): string =>
  replaceHidden(
    text.replaceAll(ESCAPE_SEQUENCES, '').replaceAll(LINE_BREAKS, '\n'),
    HIDDEN_IN_BLOCK,
    nothing,
  );

/** The visible part of a name. */
export const seenOf = (name: string): string => replaceHidden(name, HIDDEN_IN_LINE, nothing);
