/** The stream of the HTTP+SSE transport (2024-11-05), which carries all messages of the server. */
import type { Dispatcher } from 'undici';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { SseReader, type SseEvent } from '../../core/wire/sse-reader.ts';
import { failureOfStatus, failureOfTransport, type HttpHead, type HttpPeer } from './http-failure.ts';
import { streamHeaders } from './http-headers.ts';
import type { Sockets } from './signed-sockets.ts';

export interface SseStreamOptions {
  readonly peer: HttpPeer;
  readonly pool: Sockets;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
  onEvent(event: SseEvent): void;
  /** Called once, unless it was closed: it could not be opened, or has ended. */
  onEnd(reason: PincerError): void;
}

export function openSseStream(options: SseStreamOptions): { close(): void } {
  const { peer, pool, limits } = options;
  const { server, url } = peer;
  let controller: Dispatcher.DispatchController | undefined;
  let sse: SseReader | undefined;
  let isOver = false;

  function end(reason: PincerError): void {
    if (isOver) return;
    isOver = true;
    options.onEnd(reason);
    controller?.abort(reason);
  }

  function begin(head: HttpHead): void {
    const isStream = String(head.headers['content-type']).startsWith('text/event-stream');
    if (head.status !== 200 || !isStream)
      return end(failureOfStatus(peer, head, { hadSession: false }).reason);
    sse = new SseReader({
      maxBytes: limits.maxMessageBytes,
      onEvent: (event) => {
        if (!isOver) options.onEvent(event);
      },
      onOverflow: () => end(tooLarge(server, limits)),
    });
  }

  pool.dispatch(
    { path: url.pathname + url.search, method: 'GET', headers: streamHeaders(options.headers, undefined) },
    {
      onRequestStart(started) {
        controller = started;
        if (isOver) started.abort(new PincerError('CALL_CANCELLED', 'No longer awaited.'));
      },
      onResponseStart: (_controller, status, headers) => begin({ status, headers }),
      onResponseData: (_controller, chunk) => sse?.push(chunk.toString('latin1')),
      onResponseEnd: () => end(new PincerError('SERVER_GONE', `Server "${server}" ended its event stream.`)),
      onResponseError: (_controller, error) =>
        end(failureOfTransport(server, error, sse !== undefined).reason),
    },
  );

  return {
    close() {
      isOver = true;
      controller?.abort(new PincerError('CALL_CANCELLED', 'No longer awaited.'));
    },
  };
}

const tooLarge = (server: string, { maxMessageBytes }: Limits): PincerError =>
  new PincerError(
    'SERVER_PROTOCOL',
    `Server "${server}" sent more than ${maxMessageBytes} bytes in one message.`,
    {
      hint: 'Raise limits.maxMessageBytes, or ask the tool for less.',
    },
  );
