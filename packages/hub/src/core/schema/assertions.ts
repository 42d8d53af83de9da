/** JSON Schema keywords that check one value by itself, and their messages. */
import { closest, plural } from '../../lib/text.ts';
import { isRecord } from '../../lib/record.ts';
import { NO_ISSUES, type CheckRun, type Issues, type Place, type ValueIssue } from './check-run.ts';
import { choicesOf, describeTypes, namesIn, typeOfValue, type Schema } from './json-schema.ts';
import { createPattern } from './pattern.ts';

type Assertion = (place: Place, run: CheckRun) => Issues;

export function assertionsOf(schema: Schema): Assertion[] {
  const bounds = boundsOf(schema);
  return [
    ...choiceAssertion(schema),
    ...(bounds.length === 0 ? [] : [boundsAssertion(bounds)]),
    ...patternAssertion(schema),
    ...uniqueAssertion(schema),
  ];
}

/** Checks the type of a value. Returns undefined if the schema allows it or has no type. */
export function createTypeCheck({ type }: Schema): (place: Place) => ValueIssue | undefined {
  const types = new Set(typeof type === 'string' ? [type] : namesIn(type));
  if (types.size === 0) return () => undefined;
  return (place) => {
    const actual = typeOfValue(place.value);
    if (types.has(actual) || (actual === 'integer' && types.has('number'))) return undefined;
    return {
      path: place.path,
      message: `must be ${describeTypes(types)}, not ${describeTypes(new Set([actual]))}`,
    };
  };
}

function choiceAssertion(schema: Schema): Assertion[] {
  const choices = choicesOf(schema);
  if (choices === undefined) return [];
  const plain = new Set(choices.filter((choice) => typeof choice !== 'object' || choice === null));
  const others = choices.filter((choice) => !plain.has(choice));
  const size = others.reduce<number>((sum, choice) => sum + sizeOf(choice), 0);
  return [
    (place, run) => {
      const { value } = place;
      if (plain.has(value)) return NO_ISSUES;
      if (typeof value === 'object' && value !== null) {
        if (!run.spend(size) || others.some((choice) => isSame(choice, value))) return NO_ISSUES;
      }
      const names = choices.slice(0, MAX_LISTED + 1).map(nameOf);
      const meant = typeof value === 'string' ? guess(value, () => choices.map(nameOf), run) : undefined;
      return run.spend(names.length)
        ? [{ path: place.path, message: `must be one of ${listText(names)}`, meant }]
        : NO_ISSUES;
    },
  ];
}

const nameOf = (choice: unknown): string => (typeof choice === 'string' ? choice : JSON.stringify(choice));

/** Returns a message that continues the path, or undefined if the value is within the bound. */
type Bound = (value: unknown, run: CheckRun) => string | undefined;

function boundsAssertion(bounds: readonly Bound[]): Assertion {
  return (place, run) => {
    let issues: Issues = NO_ISSUES;
    for (const bound of bounds) {
      const message = bound(place.value, run);
      if (message !== undefined) issues = [...issues, { path: place.path, message }];
    }
    return issues;
  };
}

function boundsOf(schema: Schema): Bound[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // In draft 4, the exclusive bounds were flags.
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  return [
    ...numberBound(minimum, (value, bound) => (value < bound ? `must be at least ${bound}` : undefined)),
    ...numberBound(maximum, (value, bound) => (value > bound ? `must be at most ${bound}` : undefined)),
    ...numberBound(above, (value, bound) => (value <= bound ? `must be above ${bound}` : undefined)),
    ...numberBound(below, (value, bound) => (value >= bound ? `must be below ${bound}` : undefined)),
    ...numberBound(multipleOf, (value, bound) =>
      bound > 0 && !isMultiple(value, bound) ? `must be a multiple of ${bound}` : undefined,
    ),
    ...sizeBounds(schema['minLength'], schema['maxLength'], 'character', (value, run) =>
      typeof value === 'string' && run.spend(Math.floor(value.length / CHARACTERS_PER_STEP))
        ? characters(value)
        : undefined,
    ),
    ...sizeBounds(schema['minItems'], schema['maxItems'], 'item', (value) =>
      Array.isArray(value) ? value.length : undefined,
    ),
    ...sizeBounds(schema['minProperties'], schema['maxProperties'], 'member', (value) =>
      isRecord(value) ? Object.keys(value).length : undefined,
    ),
  ];
}

function numberBound(
  bound: unknown,
  check: (value: number, bound: number) => string | undefined,
): readonly Bound[] {
  if (typeof bound !== 'number') return [];
  return [(value) => (typeof value === 'number' ? check(value, bound) : undefined)];
}

// oxlint-disable-next-line max-params -- two bounds, what is counted, and how
function sizeBounds(
  min: unknown,
  max: unknown,
  noun: string,
  count: (value: unknown, run: CheckRun) => number | undefined,
): readonly Bound[] {
  if (typeof min !== 'number' && typeof max !== 'number') return [];
  return [
    (value, run) => {
      const size = count(value, run);
      if (size === undefined) return undefined;
      if (typeof min === 'number' && size < min) return `must have at least ${plural(min, noun)}`;
      return typeof max === 'number' && size > max ? `must have at most ${plural(max, noun)}` : undefined;
    },
  ];
}

/** 0.0075 is a multiple of 0.0001, although their floating-point quotient is not exactly 75. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return (
    Number.isInteger(quotient) ||
    Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON * 4
  );
}

const CHARACTERS_PER_STEP = 1_024;

/** Counts code points without a list of them: a text may be an image. */
function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return count;
}

function patternAssertion({ pattern }: Schema): Assertion[] {
  if (typeof pattern !== 'string') return [];
  const matches = createMatch(pattern);
  return [
    (place, run) =>
      typeof place.value !== 'string' || matches(place.value, run)
        ? NO_ISSUES
        : [{ path: place.path, message: `must match the pattern ${short(pattern)}` }],
  ];
}

/** A pattern that cannot be matched in linear time accepts every text. */
export function createMatch(source: string): (text: string, run: CheckRun) => boolean {
  const pattern = createPattern(source);
  if (pattern !== undefined) return (text, run) => pattern(text, (steps) => run.spend(steps));
  return (_, run) => {
    run.cut();
    return true;
  };
}

function uniqueAssertion(schema: Schema): Assertion[] {
  if (schema['uniqueItems'] !== true) return [];
  return [
    (place, run) => {
      const { value } = place;
      if (!Array.isArray(value)) return NO_ISSUES;
      const seen = new Set<string>();
      for (const item of value) {
        const text = canonicalText(item, run);
        if (text === undefined) return NO_ISSUES;
        if (seen.has(text)) return [{ path: place.path, message: 'must not have duplicate items' }];
        seen.add(text);
      }
      return NO_ISSUES;
    },
  ];
}

const MAX_CANONICAL_DEPTH = 200;

/** The same text for equal values, with members in any order. Returns undefined if that takes too long. */
function canonicalText(value: unknown, run: CheckRun, depth = 0): string | undefined {
  if (depth > MAX_CANONICAL_DEPTH) run.cut();
  if (run.isCut || !run.spend(1)) return undefined;
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, run, depth + 1)).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key], run, depth + 1)}`);
  return run.isCut ? undefined : `{${members.join()}}`;
}

/** An issue for a name that `propertyNames` rejects. */
export function nameIssue([first]: Issues, path: string): Issues {
  return first === undefined
    ? NO_ISSUES
    : [{ path, message: `is not allowed as a name: it ${first.message}` }];
}

// oxlint-disable-next-line max-params -- where it is, its name, the names that are taken, as words too, and the state
export function unknownMember(
  path: string,
  key: string,
  known: ReadonlyMap<string, unknown>,
  elsewhere: string,
  run: CheckRun,
): ValueIssue {
  return { path, message: `is not allowed${elsewhere}`, meant: guess(key, () => [...known.keys()], run) };
}

export const alternatives = (known: readonly string[]): string =>
  known.length === 0 ? '; no members are allowed there' : `; allowed: ${listText(known)}`;

/** Comparing words takes quadratic time. */
function guess(word: string, names: () => readonly string[], run: CheckRun): string | undefined {
  return word.length <= MAX_WORD_CHARS && run.guessesLeft-- > 0 ? closest(word, names()) : undefined;
}

/** Characters of one name or value, and how many are listed. */
const MAX_WORD_CHARS = 100;
const MAX_LISTED = 50;

const short = (word: string): string =>
  word.length <= MAX_WORD_CHARS ? word : `${word.slice(0, MAX_WORD_CHARS)}…`;

function listText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).map(short);
  return [...shown, ...(names.length > MAX_LISTED ? ['…'] : [])].join(', ');
}

/** The number of values in a JSON value, itself included. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + sizeOf(part), 1);
}

/** Whether two JSON values are equal, with members in any order. Goes as deep as the first one. */
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
