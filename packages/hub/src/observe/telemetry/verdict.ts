/** What a collector's answer means (OTLP specification, "OTLP/HTTP Response"). */
export type Verdict =
  | { readonly kind: 'taken'; readonly rejected: number }
  /** It may be sent once more, not before so much time has passed. */
  | { readonly kind: 'later'; readonly waitMs: number; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

export interface CollectorAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Its beginning. */
  readonly body: string;
}

const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const DEFAULT_WAIT_MS = 1_000;
/** Who is told to come back later than this does not come back. */
const MAX_WAIT_MS = 60_000;

export function judge({ status, retryAfter, body }: CollectorAnswer, now: number): Verdict {
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedIn(body) };
  const reason = `status ${status}`;
  if (!LATER.has(status)) return { kind: 'refused', reason };
  const waitMs = readRetryAfter(retryAfter, now) ?? DEFAULT_WAIT_MS;
  return waitMs > MAX_WAIT_MS ? { kind: 'refused', reason } : { kind: 'later', waitMs, reason };
}

/** Who cannot be reached may be there in a moment. */
export const unreachable = (reason: string): Verdict => ({ kind: 'later', waitMs: DEFAULT_WAIT_MS, reason });

/** Seconds or a date (RFC 9110, 10.2.3). */
function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function rejectedIn(body: string): number {
  try {
    const { partialSuccess } = JSON.parse(body) as { partialSuccess?: Record<string, unknown> };
    const { rejectedSpans, rejectedDataPoints } = partialSuccess ?? {};
    // 64 bits are written as text.
    const rejected = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}
