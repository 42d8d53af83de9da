/** The GET stream of the legacy era: what a server says outside of calls. */
import type { Dispatcher } from 'undici';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import { SseReader } from '../../core/wire/sse-reader.ts';
import { parseMessage, type Message } from '../../core/wire/message.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { backoffMs } from '../life/backoff.ts';
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
  /** Of the session; read anew each time. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly log: Log;
  onMessage(message: Message, via: undefined): void;
}

/** A server that wants to be left alone for longer is asked all the same. */
const MAX_RETRY_MS = 60_000;

/** Stays open as long as the server lets it; a server that has no such stream (405, 404 …) is not asked again. */
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
      log.warn(`server "${server}" sent something that is no message`, { error: String(error) });
      return;
    }
    // An answer belongs to a request, and those have streams of their own.
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
