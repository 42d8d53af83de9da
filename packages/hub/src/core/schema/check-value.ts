/** As much of JSON Schema as it takes to say before a call what the tool would not take. What is not known passes. */
import { closest, plural } from '../../lib/text.ts';
import { isRecord } from '../../lib/record.ts';
import { choicesOf, localTarget, objectParts, type Schema } from './json-schema.ts';

export interface ValueIssue {
  /** `filter.tags[0]`; empty for the arguments as a whole. */
  readonly path: string;
  /** Goes on after the path: `must be a number, not a string`. */
  readonly message: string;
  /** What was probably meant. */
  readonly meant?: string | undefined;
}

/** A schema can be written so that to hold a value against it takes for ever. What is not looked at then passes. */
const MAX_STEPS = 100_000;
/** How far it goes into value and schema together. */
const MAX_DEPTH = 500;
/** Of what is wrong, these get a guess of what was meant. */
const MAX_GUESSES = 8;

// oxlint-disable-next-line max-params -- a value, what it is held against, where that was found, and how long
export function checkValue(
  value: unknown,
  schema: unknown,
  root: Schema,
  maxSteps = MAX_STEPS,
): ValueIssue[] {
  let stepsLeft = maxSteps;
  let depth = 0;
  let guessesLeft = MAX_GUESSES;
  return check(value, schema, '', new Set());

  /** `seen` is what this value has been held against: a definition may refer to itself. */
  // oxlint-disable-next-line max-params -- a value, what it is held against, where it stands, and what was before
  function check(value: unknown, schema: unknown, path: string, seen: Set<Schema>): ValueIssue[] {
    if (--stepsLeft < 0 || depth >= MAX_DEPTH) return [];
    depth++;
    const issues = checkHere(value, schema, path, seen);
    depth--;
    return issues;
  }

  // oxlint-disable-next-line max-params -- as above
  function checkHere(value: unknown, schema: unknown, path: string, seen: Set<Schema>): ValueIssue[] {
    if (schema === false) return [{ path, message: 'is not taken' }];
    if (!isRecord(schema) || seen.has(schema)) return [];
    seen.add(schema);
    if (value === null && schema['nullable'] === true) return [];
    stepsLeft -= costOf(value, schema);
    if (stepsLeft < 0) return [];
    const inner = (part: unknown): ValueIssue[] => check(value, part, path, seen);
    const ref = schema['$ref'];
    const wrong = checkType(value, schema, path);
    // What is of another kind breaks every other rule too; one is enough.
    if (wrong.length > 0) return wrong;
    return [
      ...(typeof ref === 'string' ? inner(localTarget(ref, root)) : []),
      ...checkChoice(value, schema, path),
      ...checkBounds(value, schema).map((message) => ({ path, message })),
      ...(isRecord(value) ? checkMembers(value, schema, path) : []),
      ...(Array.isArray(value) ? checkItems(value, schema, path) : []),
      ...listOf(schema['allOf']).flatMap(inner),
      ...checkBranches(listOf(schema['anyOf']), inner, path),
      ...checkBranches(listOf(schema['oneOf']), inner, path),
    ];
  }

  function checkMembers(
    value: Readonly<Record<string, unknown>>,
    schema: Schema,
    path: string,
  ): ValueIssue[] {
    const { properties, required } = objectParts(schema);
    const others = isRecord(schema['patternProperties']) ? undefined : schema['additionalProperties'];
    const missing = required
      .filter((key) => !Object.hasOwn(value, key))
      .map((key) => ({ path: join(path, key), message: 'is missing' }));
    const inside = Object.entries(value).flatMap(([key, item]) => {
      if (Object.hasOwn(properties, key)) return check(item, properties[key], join(path, key), new Set());
      if (others !== false) return check(item, others, join(path, key), new Set());
      return stepsLeft < 0 ? [] : [unknownMember(path, key, Object.keys(properties))];
    });
    return [...missing, ...inside];
  }

  function checkItems(value: readonly unknown[], schema: Schema, path: string): ValueIssue[] {
    const { items, prefixItems } = schema;
    // Before 2020-12 the first items stood under `items`.
    const first = listOf(Array.isArray(items) ? items : prefixItems);
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    return value.flatMap((item, index) =>
      check(item, index < first.length ? first[index] : rest, `${path}[${index}]`, new Set()),
    );
  }

  function checkChoice(value: unknown, schema: Schema, path: string): ValueIssue[] {
    const choices = choicesOf(schema);
    if (choices === undefined || choices.some((choice) => isSame(choice, value))) return [];
    const names = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
    const meant = typeof value === 'string' ? guess(value, names) : undefined;
    return [{ path, message: `must be one of ${listText(names)}`, meant }];
  }

  function unknownMember(path: string, key: string, known: readonly string[]): ValueIssue {
    stepsLeft -= known.length;
    const list = known.length === 0 ? 'nothing is taken there' : `there is ${listText(known)}`;
    return { path: join(path, key), message: `is not taken; ${list}`, meant: guess(key, known) };
  }

  /** To compare words takes the square of their length. */
  function guess(word: string, names: readonly string[]): string | undefined {
    return word.length <= MAX_WORD_CHARS && guessesLeft-- > 0 ? closest(word, names) : undefined;
  }
}

/** One that fits is enough, for `oneOf` too: which one is meant is for the tool to say. */
function checkBranches(
  branches: readonly unknown[],
  inner: (branch: unknown) => ValueIssue[],
  path: string,
): ValueIssue[] {
  if (branches.length === 0) return [];
  const found = branches.map(inner);
  if (found.some((issues) => issues.length === 0)) return [];
  const [only, another] = found.filter((issues) => issues.some((issue) => issue.path !== path));
  // The only one that was not of another kind altogether is the one that was meant.
  if (only !== undefined && another === undefined) return only;
  return [{ path, message: 'fits none of the forms that it may have' }];
}

function checkType(value: unknown, { type }: Schema, path: string): ValueIssue[] {
  const types = new Set((Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string'));
  const actual = typeOfValue(value);
  if (types.size === 0 || types.has(actual) || (actual === 'integer' && types.has('number'))) return [];
  const wanted = describeTypes(types);
  return [{ path, message: `must be ${wanted}, not ${describeTypes(new Set<JsonType>([actual]))}` }];
}

/** What a schema lists is gone through each time. */
function costOf(value: unknown, schema: Schema): number {
  const lists = [schema['enum'], schema['required']].map((list) => listOf(list).length);
  const text = typeof value === 'string' ? value.length / CHARACTERS_PER_STEP : 0;
  return lists.reduce((sum, length) => sum + length, Math.floor(text));
}

const CHARACTERS_PER_STEP = 1_024;

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Of one name or value, and how many of them are listed. */
const MAX_WORD_CHARS = 100;
const MAX_LISTED = 50;

function listText(names: readonly string[]): string {
  const shown = names
    .slice(0, MAX_LISTED)
    .map((name) => (name.length <= MAX_WORD_CHARS ? name : `${name.slice(0, MAX_WORD_CHARS)}…`));
  return [...shown, ...(names.length > MAX_LISTED ? ['…'] : [])].join(', ');
}

/** Whether two JSON values are equal; the order of members does not count. As deep as the first one goes. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (!isRecord(a)) return a === b;
  if (!isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}

/** Rules about how large a value is, in words that follow its name. */
function checkBounds(value: unknown, schema: Schema): string[] {
  if (typeof value === 'number') return numberBounds(value, schema);
  const { minLength, maxLength, minItems, maxItems } = schema;
  if (typeof value === 'string' && (isNumber(minLength) || isNumber(maxLength)))
    return sizeBounds(characters(value), 'character', minLength, maxLength);
  return Array.isArray(value) ? sizeBounds(value.length, 'item', minItems, maxItems) : [];
}

/** As people count them, without making a list of them: a text may be an image. */
function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return count;
}

function numberBounds(value: number, schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return [
    ...(isNumber(minimum) && value < minimum ? [`must be at least ${minimum}`] : []),
    ...(isNumber(maximum) && value > maximum ? [`must be at most ${maximum}`] : []),
    ...(isNumber(exclusiveMinimum) && value <= exclusiveMinimum ? [`must be above ${exclusiveMinimum}`] : []),
    ...(isNumber(exclusiveMaximum) && value >= exclusiveMaximum ? [`must be below ${exclusiveMaximum}`] : []),
  ];
}

// oxlint-disable-next-line max-params -- a size, what is counted, and its two bounds
function sizeBounds(size: number, noun: string, min: unknown, max: unknown): string[] {
  if (isNumber(min) && size < min) return [`must have at least ${plural(min, noun)}`];
  return isNumber(max) && size > max ? [`must have at most ${plural(max, noun)}`] : [];
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

export function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}

const ARTICLES: Readonly<Record<string, string>> = {
  array: 'a JSON array',
  object: 'a JSON object',
  integer: 'an integer',
  null: 'null',
};

/** `a string or an integer`. */
export const describeTypes = (types: ReadonlySet<string>): string =>
  [...types].map((type) => (Object.hasOwn(ARTICLES, type) ? ARTICLES[type] : `a ${type}`)).join(' or ');
