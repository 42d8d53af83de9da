/** The GET stream of the legacy era, on which the proxy reports changed tools. */
import type { Dispatcher, Pool } from 'undici';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { MalformedMessageError, parseMessage, type Message } from '../../core/wire/message.ts';
import { SseReader } from '../../core/wire/sse-reader.ts';
import { streamHeaders, retryAfterMs } from '../../servers/http/http-headers.ts';
import { backoffMs } from '../../servers/lifecycle/backoff.ts';

export interface NoticeStream {
  close(): void;
}

export interface NoticeStreamOptions {
  readonly pool: Pick<Pool, 'dispatch'>;
  readonly path: string;
  readonly maxBytes: number;
  headers(): Readonly<Record<string, string>>;
  onMessage(text: ByteText, message: Message): void;
  /** The stream was lost and is open again. Notifications in between were missed. */
  onReopened(): void;
  /** The proxy refused the stream; it is not retried. */
  onRefused(status: number): void;
}

/** Upper limit for Retry-After. */
const MAX_WAIT_MS = 60_000;
const ABORTED = new Error('Aborted.');

const isTemporary = (status: number): boolean => status >= 500 || status === 429 || status === 409;

export function openNoticeStream({
  pool,
  path,
  maxBytes,
  headers,
  ...on
}: NoticeStreamOptions): NoticeStream {
  let controller: Dispatcher.DispatchController | undefined;
  let timer: NodeJS.Timeout | undefined;
  let attempts = 0;
  let wasOpen = false;
  let isClosed = false;

  function deliver(text: ByteText): void {
    try {
      const message = parseMessage(text);
      // Ignore answers: each request gets its answer on its own connection.
      if (message.method !== undefined) on.onMessage(text, message);
    } catch (error) {
      if (!(error instanceof MalformedMessageError)) throw error;
    }
  }

  const openEvents = (): SseReader =>
    new SseReader({
      maxBytes,
      onEvent: ({ event, data }) => {
        if (event === 'message' && data !== '') deliver(data);
      },
      onOverflow: () => controller?.abort(ABORTED),
    });

  function open(): void {
    let events: SseReader | undefined;
    let isRefused = false;
    let waitMs = 0;
    const reopen = (): void => {
      if (isClosed || isRefused) return;
      timer = setTimeout(open, Math.max(waitMs, backoffMs(attempts++, Math.random()))).unref();
    };
    pool.dispatch(
      { path, method: 'GET', headers: streamHeaders(headers(), undefined) },
      {
        onRequestStart(started) {
          controller = started;
          if (isClosed) started.abort(ABORTED);
        },
        onResponseStart(_controller, status, answered) {
          if (status === 200 && String(answered['content-type']).startsWith('text/event-stream')) {
            events = openEvents();
            attempts = 0;
            if (wasOpen) on.onReopened();
            wasOpen = true;
            return;
          }
          waitMs = Math.min(retryAfterMs(answered['retry-after'], Date.now()) ?? 0, MAX_WAIT_MS);
          isRefused = !isTemporary(status);
          if (isRefused && !isClosed) on.onRefused(status);
        },
        onResponseData: (_controller, chunk) => events?.push(chunk.toString('latin1')),
        onResponseEnd: reopen,
        onResponseError: reopen,
      },
    );
  }

  open();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      controller?.abort(ABORTED);
    },
  };
}
