/**
 * How often something may be done under one key, such as a credential or a session. Each key has a bucket that is full at
 * first, loses a token with each take and gets `perSecond` back. All that is kept of it is when it will be full again.
 */
export interface RateLimits {
  readonly burst: number;
  readonly perSecond: number;
  /** Each key is held to the limits while no more than half as many are in use at once. */
  readonly maxKeys: number;
}

export interface Rates {
  /** Keys that are remembered, some of them twice; never more than `maxKeys`. */
  readonly size: number;
  /** Undefined: go on. A refusal takes nothing. */
  take(key: string): Wait | undefined;
}

export interface Wait {
  readonly retryAfterMs: number;
}

export interface RatesParts {
  /** Milliseconds that only grow. */
  now(): number;
  readonly limits: RateLimits;
}

/** Ignores rounding errors of the sum. */
const ROUNDING_MS = 1e-6;

export function createRates({ now, limits }: RatesParts): Rates {
  const tokenMs = 1_000 / limits.perSecond;
  const lastTokenMs = (limits.burst - 1) * tokenMs;
  /** In this time every bucket gets full, and a full one is as good as none. */
  const fillMs = limits.burst * tokenMs;
  /** When buckets will be full: of keys that were asked for since `since`, and of those that were in the time before. */
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  let since = now();

  /** Above the bound, forgets the least recently used keys, so that new keys are not affected by others. */
  function forgetIdle(at: number): void {
    if (at - since < fillMs && recent.size < limits.maxKeys / 2) return;
    older = recent;
    recent = new Map();
    since = at;
  }

  return {
    get size() {
      return recent.size + older.size;
    },
    take(key) {
      const at = now();
      forgetIdle(at);
      const fullAt = Math.max(recent.get(key) ?? older.get(key) ?? at, at);
      const waitMs = fullAt - at - lastTokenMs;
      const isRefused = waitMs > ROUNDING_MS;
      recent.set(key, isRefused ? fullAt : fullAt + tokenMs);
      return isRefused ? { retryAfterMs: Math.ceil(waitMs) } : undefined;
    },
  };
}
