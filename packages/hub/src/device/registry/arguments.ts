/**
 * Arguments as other nodes of OpenClaw accept them: numbers are clamped, and a value of the wrong type counts as absent.
 * Bounds, defaults and choices are published as metadata and not enforced. The schema shows them, so `about` omits them.
 */
import { z } from 'zod';

const clampedTo = (number: z.ZodType<number>, about: string, bounds: readonly [number, number, number]) => {
  const [min, max, fallback] = bounds;
  return number
    .optional()
    .catch(undefined)
    .transform((value) => Math.min(max, Math.max(min, value ?? fallback)))
    .meta({ minimum: min, maximum: max, default: fallback })
    .describe(about);
};

/** A number between two bounds. `fallback` if it is absent. */
export const clamped = (min: number, max: number, fallback: number, about: string) =>
  clampedTo(z.number(), about, [min, max, fallback]);

/** An integer between two bounds. A fraction counts as absent. */
export const clampedInt = (min: number, max: number, fallback: number, about: string) =>
  clampedTo(z.int(), about, [min, max, fallback]);

export const flag = (fallback: boolean, about: string) =>
  z
    .boolean()
    .optional()
    .catch(undefined)
    .transform((value) => value ?? fallback)
    .meta({ default: fallback })
    .describe(about);

/** `choices`: the values that a command knows. */
export const text = (fallback: string, about: string, choices?: readonly string[]) =>
  z
    .string()
    .optional()
    .catch(undefined)
    .transform((value) => value ?? fallback)
    .meta({ ...(fallback !== '' && { default: fallback }), ...oneOf(choices) })
    .describe(about);

export const optionalText = (about: string, choices?: readonly string[]) =>
  z.string().optional().catch(undefined).meta(oneOf(choices)).describe(about);

/** `missing`: the text of the failure if it is absent, blank or of another type. */
export const requiredText = (missing: string, about: string, choices?: readonly string[]) =>
  z
    .string({ error: missing })
    .refine((value) => value.trim() !== '', { error: missing })
    .meta({ minLength: 1, ...oneOf(choices) })
    .describe(about);

/** The strings of a list, trimmed. Other and blank values are dropped. */
export const texts = (about: string, choices?: readonly string[]) =>
  z
    .array(z.unknown())
    .optional()
    .catch(undefined)
    .transform((values) =>
      values?.flatMap((value) => (typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [])),
    )
    .meta({ items: { type: 'string', ...oneOf(choices) } })
    .describe(about);

const oneOf = (choices: readonly string[] | undefined) =>
  choices === undefined ? {} : { enum: [...choices] };

const NEEDED = new WeakSet<z.ZodType>();

/** Publishes an argument as required. The schema still accepts its absence, so that the command words the failure. */
export function needed<T extends z.ZodType>(argument: T): T {
  NEEDED.add(argument);
  return argument;
}

export const isNeeded = (argument: z.ZodType): boolean => NEEDED.has(argument);
