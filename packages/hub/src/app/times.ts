/** How long things may take, in milliseconds. Each is an option of `connect`. */
export const APP_TIMES = {
  /** The pause after the first failure; it doubles with each further one. */
  firstRetryMs: 100,
  maxRetryMs: 10_000,
  /** A bridge on which nothing is heard for so long is given up. The proxy asks for a sign of life more often. */
  silenceMs: 45_000,
  /** From the attempt to open a bridge to the proxy's welcome. */
  welcomeMs: 10_000,
  /** For one request over HTTP. */
  requestMs: 15_000,
  /** A bridge that was open for so long was a good one: the pauses begin anew. */
  steadyMs: 5_000,
  /** Between two words of progress on one call. */
  progressMs: 100,
  /** How long a page waits for the one before it to let go of the session, when it is reloaded. */
  claimMs: 500,
} as const;

export type AppTimes = { readonly [name in keyof typeof APP_TIMES]: number };

/** Doubled each time, and never the same for two apps: after a restart of the hub they do not all come at once. */
export function retryPause(
  failures: number,
  { firstRetryMs, maxRetryMs }: Pick<AppTimes, 'firstRetryMs' | 'maxRetryMs'>,
): number {
  const whole = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures, 30));
  return whole * (0.5 + Math.random() / 2);
}
