/** What must stand under the keywords of a JSON Schema. Those that are not here may hold anything. */
import { isRecord } from '../../lib/record.ts';

/** Keywords that hold schemas, and how. */
export type Holds = 'schema' | 'list' | 'schema or list' | 'names' | 'schemas or names by name';

export const SCHEMA_KEYWORDS: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ...keys('schema', ['additionalItems', 'additionalProperties', 'contains', 'contentSchema']),
  ...keys('schema', ['else', 'if', 'not', 'propertyNames', 'then', 'unevaluatedItems']),
  ...keys('schema', ['unevaluatedProperties']),
  ...keys('list', ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  // Before 2020-12 a list of the first items could stand there.
  ...keys('schema or list', ['items']),
  ...keys('names', ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']),
  ...keys('schemas or names by name', ['dependencies']),
]);

interface Rule {
  readonly fits: (value: unknown) => boolean;
  /** Goes on after `must be`. */
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

export const isNames = isListOf(isText);

const TEXT: Rule = { fits: isText, wanted: 'a string' };
const FLAG: Rule = { fits: isFlag, wanted: 'true or false' };
const NUMBER: Rule = { fits: isNumber, wanted: 'a number' };
/** In draft 4 these were flags beside `minimum` and `maximum`. */
const BOUND: Rule = { fits: (value) => isNumber(value) || isFlag(value), wanted: 'a number' };
const COUNT: Rule = {
  fits: (value) => Number.isInteger(value) && (value as number) >= 0,
  wanted: 'a whole number from 0 up',
};

export const VALUE_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
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
