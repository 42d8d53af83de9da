/** Arguments of the canvas, in both dialects. */
import { z } from 'zod';
import { isRecord } from '../../lib/is-record.ts';
import { clampedInt, optionalText } from '../registry/arguments.ts';
import type { Place } from './canvas.ts';

const SIZE = { min: 100, max: 7_680 };
const EDGE = 16_384;
const INTEGER = { type: 'integer' };

export const placeArguments = {
  width: clampedInt(SIZE.min, SIZE.max, 800, 'Width in pixels.'),
  height: clampedInt(SIZE.min, SIZE.max, 600, 'Height in pixels.'),
  x: clampedInt(-EDGE, EDGE, -1, 'Left edge of the window; -1 is the centre.'),
  y: clampedInt(-EDGE, EDGE, -1, 'Top edge of the window; -1 is the centre.'),
  placement: z
    .record(z.string(), z.unknown())
    .optional()
    .catch(undefined)
    .meta({ properties: { x: INTEGER, y: INTEGER, width: INTEGER, height: INTEGER } })
    .describe('The same as an object; it counts before the others.'),
};

const placement = z.object({
  width: placeArguments.width,
  height: placeArguments.height,
  x: placeArguments.x,
  y: placeArguments.y,
});

type PlaceArguments = z.output<typeof placement> & { placement?: unknown };

export function placeOf(args: PlaceArguments): Place {
  const { width, height, x, y } = isRecord(args.placement) ? placement.parse(args.placement) : args;
  return { width, height, ...(x === -1 || y === -1 ? {} : { position: { x, y } }) };
}

/** 1 to 100; what is below 1 is a fraction, as other nodes take it. */
export const quality = z
  .number()
  .optional()
  .catch(undefined)
  .transform((value = 80) =>
    Math.min(100, Math.max(1, Math.round(value > 0 && value < 1 ? value * 100 : value))),
  )
  .meta({ minimum: 0, maximum: 100, default: 80 })
  .describe('Of a JPEG, in percent, or as a fraction below 1.');

export const script = optionalText(
  'Required, under this name or another: JavaScript, an expression or statements of which the last has a value.',
);
