/** Which types a word on the command line may have. */
import {
  branchesOf,
  choicesOf,
  resolveSchema,
  typeOfValue,
  type JsonType,
  type Schema,
} from '../../core/schema/json-schema.ts';

type Types = ReadonlySet<JsonType>;

const ANYTHING: Types = new Set();
/** Deeper nesting than this is not looked into. */
const MAX_DEPTH = 8;

/** Types that a value may have; empty when the schema does not say. */
export function typesOf(schema: unknown, root: Schema): Types {
  /** What has been looked at, once: a definition may refer to itself, and many times over. */
  const known = new Map<Schema, Types>();
  return look(schema, 0);

  function look(part: unknown, depth: number): Types {
    const resolved = resolveSchema(part, root);
    const earlier = known.get(resolved);
    if (earlier !== undefined || depth > MAX_DEPTH) return earlier ?? ANYTHING;
    known.set(resolved, ANYTHING);
    const types = ownTypes(resolved) ?? union(branchesOf(resolved).map((branch) => look(branch, depth + 1)));
    known.set(resolved, types);
    return types;
  }
}

function ownTypes(schema: Schema): Types | undefined {
  const { type } = schema;
  if (typeof type === 'string') return new Set([type as JsonType]);
  if (Array.isArray(type)) return new Set(type as JsonType[]);
  const choices = choicesOf(schema);
  return choices && new Set(choices.map(typeOfValue));
}

/** One branch that may be anything makes the whole anything. */
const union = (branches: readonly Types[]): Types =>
  branches.some(({ size }) => size === 0) ? ANYTHING : new Set(branches.flatMap((types) => [...types]));
