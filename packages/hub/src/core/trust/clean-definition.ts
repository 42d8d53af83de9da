/**
 * What a server writes for people and models to read, made safe to be shown: `description` and `title`, at any depth,
 * and its instructions. Every other byte stays as it came.
 */
import { cleanText } from './clean-text.ts';
import { rewriteStrings, type StringRules } from './json-strings.ts';
import { DATA_KEYWORDS, NAME_MAPS } from '../catalog/schema-keywords.ts';
import { readAbout, type ServerAbout } from '../catalog/server-about.ts';
import { quoted, type ByteText } from '../wire/byte-text.ts';
import { plainString } from '../wire/message.ts';

/** A value of a schema that programs compare (`data`) is not a text, whatever its members are called. */
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

/** Any byte but plain ASCII, and every escape that can spell another character than a line break or a tab. */
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
      // The outermost object has no key, and is what its context says.
      if (key === undefined) return inside;
      return SCHEMAS.has(key) ? 'schema' : 'definition';
  }
}

const isText = (inside: Inside, key: string): boolean =>
  inside !== 'data' && (TEXTS.has(key) || (inside === 'about' && key === 'instructions'));
