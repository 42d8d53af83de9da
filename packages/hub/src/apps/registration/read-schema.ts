/** Reads a JSON Schema that an app registers: checks limits and form, and keeps the bytes that came. */
import { localTarget, type Schema } from '../../core/schema/json-schema.ts';
import { detached, oneLine, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { isRecord } from '../../lib/record.ts';
import { inside, refuse, shown, tooLarge } from '../refusals.ts';
import { JsonCursor } from '../../core/wire/json-cursor.ts';
import type { Limits } from '../../core/limits.ts';

/** MCP requires `type: "object"`. A schema without a type gets it. */
const OBJECT_START = /^\{[ \t\r\n]*(\}?)/;

/** Reads a schema of a tool. It must describe an object. */
export function readSchema(raw: ByteText, place: string, limits: RegistrationLimits): ByteText {
  assertBounded(raw, place, limits);
  const root = parseBytes(raw);
  if (!isRecord(root)) throw refuse(place, 'must be a JSON object', OBJECT_HINT);
  assertSchema(root, root, place, limits);
  const schema = detached(oneLine(raw));
  if (root['type'] === 'object') return schema;
  if (root['type'] !== undefined) throw refuse(`${place}.type`, 'must be "object"', OBJECT_HINT);
  return schema.replace(OBJECT_START, (_, end: string) => `{"type":"object"${end === '' ? ',' : '}'}`);
}

const OBJECT_HINT = 'Write {"type":"object","properties":{…}}.';
const SCHEMA_HINT = 'One invalid schema makes clients refuse the whole list of tools. See json-schema.org.';

/** Recursive: `assertBounded` has limited the depth. */
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

/** Only its length is checked here. `core/schema/pattern.ts` matches it in linear time, or not at all. */
function assertPattern(pattern: string, place: string, { maxPatternChars }: RegistrationLimits): void {
  if (pattern.length > maxPatternChars) throw tooLarge(place, 'characters', maxPatternChars);
}

// oxlint-disable-next-line max-params -- a value, how it holds schemas, its place, and the check
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

/** References may only point into the same schema, to a schema. */
const REFERENCE_KEYWORDS: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** A remote reference would have to be fetched by the hub or by a client, which is not done for an app. */
function assertLocal(ref: unknown, root: Schema, place: string): void {
  if (typeof ref !== 'string') throw refuse(place, 'must be a string', 'Write it as #/$defs/name.');
  if (ref !== '#' && !ref.startsWith('#/'))
    throw refuse(
      place,
      `points to "${shown(ref)}", which is outside of the schema or an anchor`,
      'Put the schema under $defs and refer to it as #/$defs/name.',
    );
  const target = localTarget(ref, root);
  if (!isRecord(target) && typeof target !== 'boolean')
    throw refuse(place, `points to "${shown(ref)}", where there is no schema`, 'Put the schema under $defs.');
}

/** How a keyword holds schemas. */
type Holds = 'schema' | 'list' | 'schema or list' | 'names' | 'schemas or names by name';

const SCHEMA_KEYWORDS: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ...keys('schema', ['additionalItems', 'additionalProperties', 'contains', 'contentSchema']),
  ...keys('schema', ['else', 'if', 'not', 'propertyNames', 'then', 'unevaluatedItems']),
  ...keys('schema', ['unevaluatedProperties']),
  ...keys('list', ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  // Before 2020-12 it could be a list of schemas for the first items.
  ...keys('schema or list', ['items']),
  ...keys('names', ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']),
  ...keys('schemas or names by name', ['dependencies']),
]);

interface Rule {
  readonly fits: (value: unknown) => boolean;
  /** The end of a sentence that begins with `must be`. */
  readonly wanted: string;
}

const TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'null',
]);

const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isListOf =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);
const isType = (value: unknown): boolean => TYPES.has(value);

const isNames = isListOf(isText);

const TEXT: Rule = { fits: isText, wanted: 'a string' };
const FLAG: Rule = { fits: isFlag, wanted: 'true or false' };
const NUMBER: Rule = { fits: isNumber, wanted: 'a number' };
/** In draft 4 these were flags beside `minimum` and `maximum`. */
const BOUND: Rule = { fits: (value) => isNumber(value) || isFlag(value), wanted: 'a number' };
const COUNT: Rule = {
  fits: (value) => Number.isInteger(value) && (value as number) >= 0,
  wanted: 'a whole number, at least 0',
};

const VALUE_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    'type',
    {
      fits: (value) => isType(value) || (isListOf(isType)(value) && (value as unknown[]).length > 0),
      wanted: `one of ${[...TYPES].join(', ')}, or a list of them`,
    },
  ],
  ['enum', { fits: Array.isArray, wanted: 'a JSON array' }],
  ['required', { fits: isNames, wanted: 'a JSON array of strings' }],
  ['dependentRequired', { fits: isNamesByName, wanted: 'a JSON object of arrays of strings' }],
  ...keys(TEXT, ['$anchor', '$comment', '$id', '$schema', 'description', 'format', 'pattern', 'title']),
  ...keys(FLAG, ['deprecated', 'readOnly', 'uniqueItems', 'writeOnly']),
  ...keys(NUMBER, ['maximum', 'minimum', 'multipleOf']),
  ...keys(BOUND, ['exclusiveMaximum', 'exclusiveMinimum']),
  ...keys(COUNT, ['maxContains', 'maxItems', 'maxLength', 'maxProperties']),
  ...keys(COUNT, ['minContains', 'minItems', 'minLength', 'minProperties']),
]);

function isNamesByName(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isNames);
}

function keys<const T>(value: T, names: readonly string[]): [string, T][] {
  return names.map((name) => [name, value]);
}

/** Limits of one registration. Characters are counted in UTF-16 units, bytes as they came. */
export type RegistrationLimits = Pick<
  Limits,
  | 'maxRegistrationBytes'
  | 'maxToolsPerSession'
  | 'maxLabelChars'
  | 'maxToolPathChars'
  | 'maxToolDescriptionChars'
  | 'maxSchemaBytes'
  | 'maxSchemaDepth'
  | 'maxSchemaNodes'
  | 'maxSchemaNameChars'
  | 'maxPatternChars'
>;

/** In JavaScript this name may change the prototype of an object. */
const PROTOTYPE = '__proto__';

/** `raw` is JSON. Throws if it exceeds the limits, or has a duplicate or forbidden name. */
export function assertBounded(raw: ByteText, place: string, limits: RegistrationLimits): void {
  if (raw.length > limits.maxSchemaBytes) throw tooLarge(place, 'bytes', limits.maxSchemaBytes);
  const cursor = new JsonCursor(raw);
  let nodes = 0;
  walk(1, place);

  function walk(depth: number, at: string): void {
    if (++nodes > limits.maxSchemaNodes) throw tooLarge(place, 'values', limits.maxSchemaNodes);
    const kind = cursor.kind();
    if (kind !== 'object' && kind !== 'array') {
      cursor.skip();
      return;
    }
    if (depth > limits.maxSchemaDepth) throw tooLarge(place, 'levels', limits.maxSchemaDepth);
    cursor.enter();
    if (kind === 'object') walkMembers(depth, at);
    else for (let index = 0; cursor.hasMore(); index++) walk(depth + 1, `${at}[${index}]`);
  }

  function walkMembers(depth: number, at: string): void {
    const names = new Set<string>();
    while (cursor.hasMore()) {
      const { text: name } = cursor.key();
      const here = inside(at, name);
      if (names.has(name)) throw refuse(here, 'occurs twice', 'Send each key once.');
      if (name === PROTOTYPE) throw refuse(here, 'is not a valid name', 'Use another name.');
      if (name.length > limits.maxSchemaNameChars)
        throw tooLarge(here, 'characters in its name', limits.maxSchemaNameChars);
      names.add(name);
      walk(depth + 1, here);
    }
  }
}
