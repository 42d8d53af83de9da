import { plural } from '../plural.ts';
import type { Schema } from './json-schema.ts';

/** Rules about how large a value is, in words that follow its name. */
export function checkBounds(value: unknown, schema: Schema): string[] {
  if (typeof value === 'number') return numberBounds(value, schema);
  const { minLength, maxLength, minItems, maxItems } = schema;
  if (typeof value === 'string' && (isNumber(minLength) || isNumber(maxLength)))
    return sizeBounds(characters(value), 'character', minLength, maxLength);
  return Array.isArray(value) ? sizeBounds(value.length, 'item', minItems, maxItems) : [];
}

/** As people count them, without making a list of them: a text may be an image. */
function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return count;
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
