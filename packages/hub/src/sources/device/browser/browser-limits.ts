/** How long the browser may take, and how much it may say. */
export const BROWSER_LIMITS = {
  /** From the start of the program to its first answer. */
  startMs: 30_000,
  /** One command, but for scripts. */
  commandMs: 30_000,
  /** One script of ours or of the canvas; a recording of a minute is one of them. */
  evaluateMs: 120_000,
  /** How long a page is waited for to be loaded; what comes later comes by itself. */
  loadMs: 15_000,
  /** Of one answer: a picture, a recording, the value of a script. */
  maxAnswerBytes: 64 * 1024 * 1024,
  /** A browser without pages ends after this time. */
  idleMs: 2 * 60_000,
  /** From the end of its pipe to the end of its processes by force. */
  endMs: 3_000,
  /** Of what it writes to stderr, which is logged where it does not start. */
  maxStderrBytes: 4_096,
} as const;

export type BrowserLimits = { readonly [K in keyof typeof BROWSER_LIMITS]: number };
