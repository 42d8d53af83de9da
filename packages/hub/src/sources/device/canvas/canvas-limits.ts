/** How long the canvas waits and stays. */
export const CANVAS_LIMITS = {
  /** One script of `canvas.eval`. */
  evalMs: 30_000,
  /** Of the JSON that a script gives back. */
  maxEvalBytes: 4 * 1024 * 1024,
  /** Of HTML that is presented. */
  maxHtmlBytes: 4 * 1024 * 1024,
  /** A canvas that nobody sees is closed after this time, and comes back as it was presented when it is needed. */
  idleMs: 10 * 60_000,
} as const;
