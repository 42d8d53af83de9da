/** 1, 2, 4 … 60 s, each shortened by up to a quarter so that servers do not all retry at once. */
export const BACKOFF = { firstMs: 1_000, maxMs: 60_000, jitter: 0.25 } as const;

export const backoffMs = (attempt: number, random: number): number =>
  Math.round(
    Math.min(BACKOFF.maxMs, BACKOFF.firstMs * 2 ** Math.min(attempt, 16)) * (1 - BACKOFF.jitter * random),
  );
