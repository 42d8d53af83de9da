/** A schema of an app's tool: a JSON Schema of an object, held to its limits, kept as the bytes that came. */
import { isRecord } from '../../../core/is-record.ts';
import type { Schema } from '../../../core/schema/json-schema.ts';
import { detached, oneLine, parseBytes, type ByteText } from '../../../core/wire/byte-text.ts';
import { assertBounded } from './bounded.ts';
import { isNames, SCHEMA_KEYWORDS, VALUE_RULES, type Holds } from './keywords.ts';
import type { RegistrationLimits } from './limits.ts';
import { assertLocal, REFERENCE_KEYWORDS } from './references.ts';
import { inside, refuse, tooLarge } from './refuse.ts';

/** MCP wants `type: "object"` to be said; whoever leaves it out means it. */
const NO_TYPE_SAID = /^\{[ \t\r\n]*(\}?)/;

export function readSchema(raw: ByteText, place: string, limits: RegistrationLimits): ByteText {
  assertBounded(raw, place, limits);
  const root = parseBytes(raw);
  if (!isRecord(root)) throw refuse(place, 'must be a JSON object', OBJECT_HINT);
  assertSchema(root, root, place, limits);
  const schema = detached(oneLine(raw));
  if (root['type'] === 'object') return schema;
  if (root['type'] !== undefined) throw refuse(`${place}.type`, 'must be "object"', OBJECT_HINT);
  return schema.replace(NO_TYPE_SAID, (_, end: string) => `{"type":"object"${end === '' ? ',' : '}'}`);
}

const OBJECT_HINT = 'Arguments and results have names: write {"type":"object","properties":{…}}.';
const SCHEMA_HINT = 'Clients refuse all tools of a list for one schema that is none; see json-schema.org.';

/** As deep as `assertBounded` let it be. */
function assertSchema(schema: unknown, root: Schema, place: string, limits: RegistrationLimits): void {
  if (typeof schema === 'boolean') return;
  if (!isRecord(schema)) throw refuse(place, 'must be a JSON object, true or false', SCHEMA_HINT);
  const check = (part: unknown, at: string): void => assertSchema(part, root, at, limits);
  for (const [keyword, value] of Object.entries(schema)) {
    const at = inside(place, keyword);
    const rule = VALUE_RULES.get(keyword);
    if (rule !== undefined && !rule.fits(value)) throw refuse(at, `must be ${rule.wanted}`, SCHEMA_HINT);
    if (REFERENCE_KEYWORDS.has(keyword)) assertLocal(value, root, at);
    if (keyword === 'pattern') assertPattern(value as string, at, limits);
    if (keyword === 'patternProperties' && isRecord(value))
      for (const pattern of Object.keys(value)) assertPattern(pattern, inside(at, pattern), limits);
    const holds = SCHEMA_KEYWORDS.get(keyword);
    if (holds !== undefined) eachSchema(value, holds, at, check);
  }
}

/**
 * A regular expression is never run here, and not even compiled: JavaScript tries all ways to match, so one of a few
 * characters can take for ever, and no rule of thumb tells which. Whether a text matches is for the app to say.
 */
function assertPattern(pattern: string, place: string, { maxPatternChars }: RegistrationLimits): void {
  if (pattern.length > maxPatternChars) throw tooLarge(place, 'characters', maxPatternChars);
}

// oxlint-disable-next-line max-params -- a value, how it holds schemas, where it stands, and what is done with each
function eachSchema(
  value: unknown,
  holds: Holds,
  place: string,
  check: (part: unknown, place: string) => void,
): void {
  if (holds === 'schema' || (holds === 'schema or list' && !Array.isArray(value))) {
    check(value, place);
  } else if (holds === 'list' || holds === 'schema or list') {
    if (!Array.isArray(value)) throw refuse(place, 'must be a JSON array of schemas', SCHEMA_HINT);
    value.forEach((part, index) => check(part, `${place}[${index}]`));
  } else {
    if (!isRecord(value)) throw refuse(place, 'must be a JSON object of schemas', SCHEMA_HINT);
    for (const [name, part] of Object.entries(value))
      if (holds === 'names' || !isNames(part)) check(part, inside(place, name));
  }
}
