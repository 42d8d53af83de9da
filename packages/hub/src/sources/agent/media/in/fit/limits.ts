/** What scaling images down may cost. */
import type { Limits } from '../../../../../core/limits.ts';

export const FIT_LIMITS = {
  /** How often one image is written before nobody tries any more; each try knows what the one before has made. */
  maxTries: 5,
  /** Nobody can see anything in an image that had to be smaller. */
  minBytes: 64 * 1024,
} as const;

export type FitLimits = { readonly [K in keyof typeof FIT_LIMITS]: number } & Pick<
  Limits,
  'maxImagePixels' | 'maxScaleMs'
>;
