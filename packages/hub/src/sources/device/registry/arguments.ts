/** Arguments as other nodes of OpenClaw take them: numbers are clamped, and what is of the wrong type is as if it were absent. */
import { z } from 'zod';

/** A number between two bounds; `fallback` where there is none. */
export const clamped = (min: number, max: number, fallback: number, about: string) =>
  z
    .number()
    .optional()
    .catch(undefined)
    .transform((value) => Math.min(max, Math.max(min, value ?? fallback)))
    .describe(`${about} ${min} to ${max}, ${fallback} if absent; what is beyond is clamped.`);

/** A whole number between two bounds; a broken one counts as absent. */
export const clampedInt = (min: number, max: number, fallback: number, about: string) =>
  z
    .int()
    .optional()
    .catch(undefined)
    .transform((value) => Math.min(max, Math.max(min, value ?? fallback)))
    .describe(`${about} ${min} to ${max}, ${fallback} if absent; what is beyond is clamped.`);

export const flag = (fallback: boolean, about: string) =>
  z
    .boolean()
    .optional()
    .catch(undefined)
    .transform((value) => value ?? fallback)
    .describe(`${about} ${fallback ? 'true' : 'false'} if absent.`);

export const text = (fallback: string, about: string) =>
  z
    .string()
    .optional()
    .catch(undefined)
    .transform((value) => value ?? fallback)
    .describe(about);

export const optionalText = (about: string) => z.string().optional().catch(undefined).describe(about);

/** `missing` is the text of the answer where it is absent, of another type or blank. */
export const requiredText = (missing: string, about: string) =>
  z
    .string({ error: missing })
    .refine((value) => value.trim() !== '', { error: missing })
    .describe(about);

/** Strings of a list, trimmed; what is no string or blank is dropped. */
export const texts = (about: string) =>
  z
    .array(z.unknown())
    .optional()
    .catch(undefined)
    .transform((values) =>
      values?.flatMap((value) => (typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [])),
    )
    .meta({ items: { type: 'string' } })
    .describe(about);
