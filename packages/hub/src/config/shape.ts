/** The shape of the configuration as JSON Schema, derived from the zod schema. */
import { z } from 'zod';
import { isRecord, valueAt } from '../lib/record.ts';
import { configSchema } from './schema.ts';

export type Shape = Readonly<Record<string, unknown>>;

let whole: Shape | undefined;
const wholeShape = (): Shape =>
  (whole ??= z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Shape);

/** Returns the shape of a setting, or undefined if there is none. */
export function shapeAt(path: readonly PropertyKey[]): Shape | undefined {
  let shape: Shape | undefined = wholeShape();
  for (const step of path) {
    const key = String(step);
    const { properties, additionalProperties, items } = shape;
    const next: unknown =
      isRecord(properties) && Object.hasOwn(properties, key)
        ? properties[key]
        : (additionalProperties ?? items);
    if (!isRecord(next)) return undefined;
    shape = next;
  }
  return shape;
}

/** Returns the allowed names of settings at a path. Empty if any name is allowed. */
export function keysAt(path: readonly PropertyKey[]): string[] {
  const { properties, propertyNames } = shapeAt(path) ?? {};
  if (isRecord(properties)) return Object.keys(properties);
  const names = valueAt(propertyNames, ['enum']);
  return Array.isArray(names) ? names.map(String) : [];
}
