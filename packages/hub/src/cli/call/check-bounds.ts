import type { Schema } from '../../core/schema/json-schema.ts';
import { plural } from '../render/plural.ts';

/** Rules about how large a value is, in words that follow its name. */
export function checkBounds(value: unknown, schema: Schema): string[] {
  if (typeof value === 'number') return numberBounds(value, schema);
  if (typeof value === 'string')
    return sizeBounds(Array.from(value).length, 'character', schema['minLength'], schema['maxLength']);
  return Array.isArray(value) ? sizeBounds(value.length, 'item', schema['minItems'], schema['maxItems']) : [];
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
