/** What the commands of the screen take. */
import { z } from 'zod';
import { clamped, clampedInt, flag, text } from '../registry/arguments.ts';

const MAX_SCREEN = 32;

// No default: it would be given beside the other name, and count before it.
const screen = (about: string) =>
  z.int().optional().catch(undefined).meta({ minimum: 0, maximum: MAX_SCREEN }).describe(about);

export const SNAPSHOT_INPUT = z.object({
  format: text('png', 'png or jpeg (or jpg).', ['png', 'jpeg', 'jpg']),
  maxWidth: clampedInt(16, 7680, 1920, 'Width in pixels above which the picture is scaled down.'),
  quality: clampedInt(1, 100, 80, 'Of a JPEG.'),
  screenIndex: screen('Which screen; 0 if absent, which is the main one.'),
  monitor: screen('Another name of screenIndex.'),
  includePointer: z
    .boolean()
    .optional()
    .catch(undefined)
    .describe(
      'true: with the mouse pointer, by a slower program where the quick one draws none. false: without. If absent, whatever is quickest; hasPointer of the result says which.',
    ),
});

export const RECORD_INPUT = z.object({
  durationMs: clampedInt(100, 300_000, 10_000, 'Milliseconds to record.'),
  fps: clamped(1, 60, 10, 'Pictures per second.'),
  screenIndex: screen('Which screen; 0 if absent, which is the main one.'),
  monitor: screen('Another name of screenIndex.'),
  includeAudio: flag(false, 'Whether what is heard is recorded, too, where this machine lets it.'),
  format: text('mp4', 'mp4, the only one.', ['mp4']),
});

export const screenOf = ({
  screenIndex,
  monitor,
}: {
  readonly screenIndex?: number | undefined;
  readonly monitor?: number | undefined;
}): number => Math.min(MAX_SCREEN, Math.max(0, screenIndex ?? monitor ?? 0));
