/** As much of JSON Schema as it takes to know how a word on the command line is meant. */
import { isRecord } from '../../core/is-record.ts';

export type Schema = Readonly<Record<string, unknown>>;

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

export const asSchema = (value: unknown): Schema => (isRecord(value) ? value : {});

export interface ObjectParts {
  readonly properties: Schema;
  /** Names of properties. */
  readonly required: readonly string[];
}

export function objectParts({ properties, required }: Schema): ObjectParts {
  const names = Array.isArray(required) ? (required as unknown[]) : [];
  return { properties: asSchema(properties), required: names.filter((name) => typeof name === 'string') };
}

/** Deeper nesting than this is not looked into: a definition may refer to itself. */
const MAX_DEPTH = 8;

/** Follows `$ref` into the same document. */
export function resolveSchema(schema: unknown, root: Schema, depth = 0): Schema {
  if (!isRecord(schema)) return {};
  const ref = schema['$ref'];
  if (typeof ref !== 'string' || !ref.startsWith('#') || depth > MAX_DEPTH) return schema;
  return resolveSchema(localTarget(ref, root), root, depth + 1);
}

/** What `#/$defs/x` points to; undefined where that is elsewhere, or nowhere. */
export function localTarget(ref: string, root: Schema): unknown {
  if (!ref.startsWith('#')) return undefined;
  let target: unknown = root;
  for (const step of ref.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return target;
}

export const branchesOf = (schema: Schema): readonly unknown[] =>
  [schema['anyOf'], schema['oneOf']].find((branches) => Array.isArray(branches)) ?? [];

/** The values that are allowed, where the schema lists them. */
export function choicesOf(schema: Schema): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return 'const' in schema ? [schema['const']] : undefined;
}

/** Types that a value may have; empty when the schema does not say. */
export function typesOf(schema: unknown, root: Schema, depth = 0): ReadonlySet<JsonType> {
  if (depth > MAX_DEPTH) return new Set();
  const resolved = resolveSchema(schema, root);
  const { type } = resolved;
  if (typeof type === 'string') return new Set([type as JsonType]);
  if (Array.isArray(type)) return new Set(type as JsonType[]);
  const choices = choicesOf(resolved);
  if (choices !== undefined) return new Set(choices.map(typeOfValue));
  const inner = branchesOf(resolved).map((branch) => typesOf(branch, root, depth + 1));
  // One branch that may be anything makes the whole anything.
  if (inner.some((types) => types.size === 0)) return new Set();
  return new Set(inner.flatMap((types) => [...types]));
}

export function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}
