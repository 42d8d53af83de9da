/** What scaling images down may cost. */
export const FIT_LIMITS = {
  /**
   * Of an image that is read. A file of 38 bytes can say that it has a hundred million of them, and each takes up to six
   * bytes of memory until it is scaled. What cameras make of more is larger than what may be sent.
   */
  maxImagePixels: 64_000_000,
  /** How often one image is written before nobody tries any more; each try knows what the one before has made. */
  maxTries: 5,
  /** Of all tries together. */
  maxScaleMs: 60_000,
  /** Nobody can see anything in an image that had to be smaller. */
  minBytes: 64 * 1024,
} as const;

export type FitLimits = { readonly [K in keyof typeof FIT_LIMITS]: number };
