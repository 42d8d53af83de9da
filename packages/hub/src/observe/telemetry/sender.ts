/** POSTs to a collector: one connection, one body at a time, and never an exception. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Pool, type Dispatcher } from 'undici';
import { messageOf } from '../../core/errors.ts';
import { judge, unreachable, type Verdict } from './verdict.ts';

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
