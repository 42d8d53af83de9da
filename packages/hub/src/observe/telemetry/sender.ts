/** POSTs to a collector: one connection, one body at a time, and never an exception. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Pool, type Dispatcher } from 'undici';
import { messageOf } from '../../core/errors.ts';

export interface Sender {
  post(signal: 'traces' | 'metrics', body: string): Promise<Verdict>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface SenderOptions {
  /** `/v1/traces` and `/v1/metrics` come after its path. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  now(): number;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Below this, packing costs more than it saves. */
const PACK_BYTES = 2_048;
const pack = promisify(gzip);

export function createSender({ endpoint, headers, now }: SenderOptions): Sender {
  const { origin, pathname, search } = new URL(endpoint);
  const base = pathname.replace(/\/+$/, '');
  // undici follows no redirect by itself: the headers hold a secret, and are for this origin alone.
  const pool = new Pool(origin, {
    connections: 1,
    pipelining: 1,
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });

  async function exchange(path: string, text: string): Promise<Verdict> {
    const isPacked = text.length >= PACK_BYTES;
    const answer = await pool.request({
      path: path + search,
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        ...(isPacked && { 'content-encoding': 'gzip' }),
      },
      body: isPacked ? await pack(text) : text,
    });
    const retryAfter = answer.headers['retry-after'];
    return judge(
      {
        status: answer.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
        body: await beginningOf(answer.body),
      },
      now(),
    );
  }

  return {
    post: (signal, body) =>
      exchange(`${base}/v1/${signal}`, body).catch((error: unknown) => unreachable(messageOf(error))),
    close: () => pool.destroy(),
  };
}

async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = '';
  for await (const chunk of body.setEncoding('utf8')) {
    text += String(chunk);
    // Whoever leaves the loop ends the stream.
    if (text.length > MAX_ANSWER_BYTES) break;
  }
  return text;
}

/** What a collector's answer means (OTLP specification, "OTLP/HTTP Response"). */
type Verdict =
  | { readonly kind: 'taken'; readonly rejected: number }
  /** It may be sent once more, not before so much time has passed. */
  | { readonly kind: 'later'; readonly waitMs: number; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

interface CollectorAnswer {
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
const unreachable = (reason: string): Verdict => ({ kind: 'later', waitMs: DEFAULT_WAIT_MS, reason });

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
