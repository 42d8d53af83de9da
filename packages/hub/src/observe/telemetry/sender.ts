/** POSTs to a collector: one connection, one body at a time. Never throws. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Pool, type Dispatcher } from 'undici';
import { messageOf } from '../../core/errors.ts';

export interface Sender {
  post(signal: 'traces' | 'metrics', body: string): Promise<Verdict>;
  /** Aborts a running request. */
  close(): Promise<void>;
}

export interface SenderOptions {
  /** `/v1/traces` and `/v1/metrics` are appended to its path. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  now(): number;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Compressing smaller bodies costs more than it saves. */
const PACK_BYTES = 2_048;
const pack = promisify(gzip);

export function createSender({ endpoint, headers, now }: SenderOptions): Sender {
  const { origin, pathname, search } = new URL(endpoint);
  const base = pathname.replace(/\/+$/, '');
  // undici does not follow redirects: the headers hold a secret for this origin alone.
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
    // Leaving the loop ends the stream.
    if (text.length > MAX_ANSWER_BYTES) break;
  }
  return text;
}

/** The meaning of a collector's answer (OTLP specification, "OTLP/HTTP Response"). */
type Verdict =
  | { readonly kind: 'taken'; readonly rejected: number }
  /** May be sent once more, after this time. */
  | { readonly kind: 'later'; readonly waitMs: number; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

interface CollectorAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the body. */
  readonly body: string;
}

const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const DEFAULT_WAIT_MS = 1_000;
/** A longer requested wait counts as a refusal. */
const MAX_WAIT_MS = 60_000;

export function judge({ status, retryAfter, body }: CollectorAnswer, now: number): Verdict {
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedIn(body) };
  const reason = `status ${status}`;
  if (!LATER.has(status)) return { kind: 'refused', reason };
  const waitMs = readRetryAfter(retryAfter, now) ?? DEFAULT_WAIT_MS;
  return waitMs > MAX_WAIT_MS ? { kind: 'refused', reason } : { kind: 'later', waitMs, reason };
}

/** An unreachable collector may be back in a moment. */
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
    // 64-bit numbers are written as text.
    const rejected = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}
