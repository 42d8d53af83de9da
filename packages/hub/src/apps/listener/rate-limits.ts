/**
 * Token buckets per key, such as a credential or a session. A bucket is full at first, loses a token with each take and
 * regains `perSecond`. Only the time when it will be full again is stored.
 */
export interface RateLimits {
  readonly burst: number;
  readonly perSecond: number;
  /** Keys are remembered up to this number. The limits are exact while at most half as many are in use. */
  readonly maxKeys: number;
}

export interface Rates {
  /** Remembered keys, some of them twice; never more than `maxKeys`. */
  readonly size: number;
  /** Returns undefined if allowed. A refusal takes no token. */
  take(key: string): Wait | undefined;
}

export interface Wait {
  readonly retryAfterMs: number;
}

export interface RatesParts {
  /** Monotonic milliseconds. */
  now(): number;
  readonly limits: RateLimits;
}

/** Ignores rounding errors of the sum. */
const ROUNDING_MS = 1e-6;

export function createRates({ now, limits }: RatesParts): Rates {
  const tokenMs = 1_000 / limits.perSecond;
  const lastTokenMs = (limits.burst - 1) * tokenMs;
  /** After this time every bucket is full, and need not be remembered. */
  const fillMs = limits.burst * tokenMs;
  /** When buckets will be full: `recent` since `since`, and `older` for the period before. */
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  let since = now();

  /** Forgets the least recently used keys, so that many new keys do not exceed the limit of memory. */
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
