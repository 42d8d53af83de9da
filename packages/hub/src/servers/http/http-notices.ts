/** The GET stream of the legacy era, for messages outside of calls. */
import type { Dispatcher } from 'undici';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import { SseReader } from '../../core/wire/sse-reader.ts';
import { parseMessage, type Message } from '../../core/wire/message.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { backoffMs } from '../lifecycle/backoff.ts';
import { waitOf } from './http-failure.ts';
import { streamHeaders } from './http-headers.ts';
import type { Sockets } from './signed-sockets.ts';

export interface NoticeStream {
  close(): void;
}

export interface NoticeStreamOptions {
  readonly server: string;
  readonly pool: Sockets;
  readonly path: string;
  /** Headers of the session; read again for each request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly log: Log;
  onMessage(message: Message, via: undefined): void;
}

/** A longer `Retry-After` is shortened to this. */
const MAX_RETRY_MS = 60_000;

/** Reconnects as long as the server allows it; stops if the server has no such stream (405, 404 …). */
export function openNoticeStream(options: NoticeStreamOptions): NoticeStream {
  const { server, pool, path, limits, log } = options;
  let controller: Dispatcher.DispatchController | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  let attempts = 0;
  let isClosed = false;

  function deliver(text: ByteText): void {
    let message: Message;
    try {
      message = parseMessage(text);
    } catch (error) {
      log.warn(`server "${server}" sent something that is not a message`, { error: String(error) });
      return;
    }
    // Answers belong to requests, which have their own streams.
    if (message.method !== undefined) options.onMessage(message, undefined);
  }

  function open(): void {
    let sse: SseReader | undefined;
    let isRefused = false;
    const reopen = (): void => {
      if (sse?.lastId !== undefined) lastEventId = sse.lastId;
      if (isClosed || isRefused) return;
      timer = setTimeout(open, Math.max(retryMs ?? 0, backoffMs(attempts++, Math.random()))).unref();
    };
    pool.dispatch(
      { path, method: 'GET', headers: streamHeaders(options.headers, lastEventId) },
      {
        onRequestStart(started) {
          controller = started;
          if (isClosed) started.abort(NO_LONGER());
        },
        onResponseStart(_controller, status, headers) {
          if (status !== 200 || !String(headers['content-type']).startsWith('text/event-stream')) {
            isRefused = status < 500 && status !== 429;
            retryMs = Math.min(waitOf({ status, headers }) ?? 0, MAX_RETRY_MS);
            return;
          }
          sse = new SseReader({
            maxBytes: limits.maxMessageBytes,
            onEvent: ({ event, data }) => {
              attempts = 0;
              if (event === 'message' && data !== '') deliver(data);
            },
            onOverflow: () => controller?.abort(NO_LONGER()),
            onRetry: (milliseconds) => {
              retryMs = Math.min(milliseconds, MAX_RETRY_MS);
            },
          });
        },
        onResponseData(_controller, chunk) {
          sse?.push(chunk.toString('latin1'));
        },
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
      controller?.abort(NO_LONGER());
    },
  };
}

const NO_LONGER = (): PincerError => new PincerError('CALL_CANCELLED', 'No longer awaited.');
