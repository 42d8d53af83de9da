/** What may be written where in the configuration, as JSON Schema made of the one that is checked. */
import { z } from 'zod';
import { isRecord, valueAt } from '../lib/record.ts';
import { configSchema } from './schema.ts';

export type Shape = Readonly<Record<string, unknown>>;

let whole: Shape | undefined;
const wholeShape = (): Shape =>
  (whole ??= z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Shape);

/** Of a setting; undefined where there is none. */
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

/** The names that a setting may have there; empty where any name will do. */
export function keysAt(path: readonly PropertyKey[]): string[] {
  const { properties, propertyNames } = shapeAt(path) ?? {};
  if (isRecord(properties)) return Object.keys(properties);
  const names = valueAt(propertyNames, ['enum']);
  return Array.isArray(names) ? names.map(String) : [];
}
