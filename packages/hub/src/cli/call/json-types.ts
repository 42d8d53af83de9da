/** Which types a word on the command line may have. */
import { branchesOf, choicesOf, resolveSchema, type Schema } from '../../core/schema/json-schema.ts';

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

/** Deeper nesting than this is not looked into: a definition may refer to itself. */
const MAX_DEPTH = 8;

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
