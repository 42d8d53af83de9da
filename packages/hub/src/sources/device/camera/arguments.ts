/** What the commands of cameras take, in the words of both dialects. */
import { z } from 'zod';
import { clampedInt, flag, optionalText, text } from '../registry/arguments.ts';

const DEFAULT_QUALITY = 80;
const MAX_DELAY_MS = 10_000;

const WHICH = {
  deviceId: optionalText('Which camera, as camera.list names it; the first one if absent.'),
  facing: optionalText('front or back: the camera whose name says so, where there is one.', [
    'front',
    'back',
  ]),
};

export const SNAP_INPUT = z.object({
  ...WHICH,
  format: text('jpeg', 'jpeg (or jpg) or png.', ['jpeg', 'jpg', 'png']),
  maxWidth: clampedInt(16, 4096, 1280, 'Width in pixels above which the picture is scaled down.'),
  quality: z
    .number()
    .optional()
    .catch(undefined)
    .meta({ minimum: 0, maximum: 100, default: DEFAULT_QUALITY })
    .describe(
      'Of a JPEG, in percent, or as a fraction below 1. Together with facing or delayMs, 1 is a fraction, too.',
    ),
  delayMs: z
    .number()
    .optional()
    .catch(undefined)
    // No default: whether it is given decides what a quality of 1 means.
    .meta({ minimum: 0, maximum: MAX_DELAY_MS })
    .describe('Milliseconds that the camera gets to adjust to the light; 500 if absent.'),
});

export const CLIP_INPUT = z.object({
  ...WHICH,
  durationMs: clampedInt(100, 60_000, 3_000, 'Milliseconds to record.'),
  includeAudio: flag(true, 'Whether what the microphone hears is recorded, too, where there is one.'),
  format: text('mp4', 'mp4, the only one.', ['mp4']),
});

const DEFAULT_DELAY_MS = 500;

export const delayOf = (delayMs: number | undefined): number =>
  Math.min(MAX_DELAY_MS, Math.max(0, Math.round(delayMs ?? DEFAULT_DELAY_MS)));

/** In percent. Other nodes count from 0 to 1: a 1 means 100 % where arguments that only they have (facing, delayMs) are given, too. */
export function qualityOf(
  quality: number | undefined,
  { facing, delayMs }: { readonly facing?: string | undefined; readonly delayMs?: number | undefined },
): number {
  if (quality === undefined) return DEFAULT_QUALITY;
  const isTheirs = facing !== undefined || delayMs !== undefined;
  const percent = quality < 1 || (quality === 1 && isTheirs) ? quality * 100 : quality;
  return Math.min(100, Math.max(1, Math.round(percent)));
}

/** As it is called in the answer, and as it is written; undefined: there is no such format. */
export function snapFormat(
  name: string,
): { readonly name: string; readonly format: 'png' | 'jpeg' } | undefined {
  const asked = name.trim().toLowerCase();
  if (asked === '') return { name: 'jpeg', format: 'jpeg' };
  if (asked === 'png') return { name: asked, format: 'png' };
  return asked === 'jpeg' || asked === 'jpg' ? { name: asked, format: 'jpeg' } : undefined;
}
