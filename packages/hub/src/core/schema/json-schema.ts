/** Parts of a JSON Schema. Servers and apps write schemas, so no part of one can be relied on. */
import { isRecord, valueAt } from '../../lib/record.ts';

export type Schema = Readonly<Record<string, unknown>>;

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

export const asSchema = (value: unknown): Schema => (isRecord(value) ? value : {});

export interface ObjectParts {
  readonly properties: Schema;
  /** Names of properties. */
  readonly required: readonly string[];
}

export function objectParts({ properties, required }: Schema): ObjectParts {
  return { properties: asSchema(properties), required: namesIn(required) };
}

export const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];

/** Limits references that lead to themselves. */
const MAX_REFERENCES = 8;

/** Follows `$ref` within the same document. */
export function resolveSchema(schema: unknown, root: Schema, followed = 0): Schema {
  if (!isRecord(schema)) return {};
  const ref = schema['$ref'];
  if (typeof ref !== 'string' || !ref.startsWith('#') || followed > MAX_REFERENCES) return schema;
  return resolveSchema(localTarget(ref, root), root, followed + 1);
}

/** Returns the target of `#/$defs/x`; undefined for an anchor, another document, or a missing target. */
export function localTarget(ref: string, root: Schema): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  // A pointer in a URI may be percent-encoded (RFC 6901, section 6). Authors also write it plainly.
  return targetAt(ref, root) ?? targetAt(decoded(ref), root);
}

function targetAt(ref: string, root: Schema): unknown {
  const steps = ref.split('/').slice(1);
  return valueAt(
    root,
    steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}

function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref);
  } catch {
    return ref;
  }
}

export const branchesOf = (schema: Schema): readonly unknown[] =>
  [schema['anyOf'], schema['oneOf']].find((branches) => Array.isArray(branches)) ?? [];

/** The allowed values, if the schema lists them. */
export function choicesOf(schema: Schema): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return 'const' in schema ? [schema['const']] : undefined;
}
