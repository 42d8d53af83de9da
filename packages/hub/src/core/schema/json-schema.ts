/** As much of JSON Schema as it takes to find one's way in it. Servers write schemas: nothing in one is certain. */
import { isRecord, valueAt } from '../../lib/record.ts';

export type Schema = Readonly<Record<string, unknown>>;

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

/** A definition may refer to itself. */
const MAX_REFERENCES = 8;

/** Follows `$ref` into the same document. */
export function resolveSchema(schema: unknown, root: Schema, followed = 0): Schema {
  if (!isRecord(schema)) return {};
  const ref = schema['$ref'];
  if (typeof ref !== 'string' || !ref.startsWith('#') || followed > MAX_REFERENCES) return schema;
  return resolveSchema(localTarget(ref, root), root, followed + 1);
}

/** What `#/$defs/x` points to; undefined where that is elsewhere, or nowhere. */
export function localTarget(ref: string, root: Schema): unknown {
  if (!ref.startsWith('#')) return undefined;
  const steps = ref.split('/').slice(1);
  return valueAt(
    root,
    steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}

export const branchesOf = (schema: Schema): readonly unknown[] =>
  [schema['anyOf'], schema['oneOf']].find((branches) => Array.isArray(branches)) ?? [];

/** The values that are allowed, where the schema lists them. */
export function choicesOf(schema: Schema): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return 'const' in schema ? [schema['const']] : undefined;
}
