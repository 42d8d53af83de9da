import { ShortLivedMap } from '../../lib/short-lived-map.ts';
import { PincerError } from '../../core/errors.ts';
import { asBytes, type ByteText, fromByteText } from '../../core/wire/byte-text.ts';
import { MalformedMessageError, parseMessage, plainString, type Message } from '../../core/wire/message.ts';
import type { SseEvent } from '../../core/wire/sse-reader.ts';
import { createThrottle, type Delivery } from './throttle.ts';
import { openSockets, peerOf } from './http-target.ts';
import type { HttpWireOptions } from './http-wire.ts';
import { malformedAnswer } from '../connection/pending-calls.ts';
import { openSseStream } from './sse-stream.ts';
import { createUnanswered } from './unanswered.ts';
import type { OpenWire, Outgoing, Wire } from '../wire.ts';
import {
  type HttpPeer,
  failureOfStatus,
  failureOfTransport,
  type HttpFailure,
  type HttpHead,
} from './http-failure.ts';
import type { Dispatcher } from 'undici';

export interface SseWireOptions extends HttpWireOptions {
  /** The server has sent its endpoint, so it supports this transport. Messages wait until then. */
  onOpen(): void;
}

/**
 * HTTP+SSE (2024-11-05), as a client: one stream for all messages of the server, and one POST per message. Nothing
 * tells which call a message belongs to. When the stream ends, all calls under way end.
 */
export const openSseWire =
  (options: SseWireOptions): OpenWire =>
  (events) => {
    const { server, limits, log } = options;
    const pool = openSockets(options);
    const peer = peerOf(options);
    const throttle = createThrottle(server, limits.retryInPlaceMs, options.pause);
    const headers = { accept: 'application/json', ...options.headers, 'content-type': 'application/json' };
    const underWay = new ShortLivedMap<string, SsePost>();
    const unanswered = createUnanswered();
    let endpoint: string | undefined;
    let early: Delivery[] = [];
    let isClosed = false;

    async function close(): Promise<void> {
      isClosed = true;
      throttle.close();
      stream.close();
      await pool.destroy(new PincerError('SERVER_GONE', `The connection to "${server}" was closed.`));
    }

    function end(reason: PincerError): void {
      if (isClosed) return;
      void close();
      events.onClosed(reason);
    }

    function open(data: ByteText): void {
      try {
        endpoint = endpointPath(peer, data);
      } catch (error) {
        return end(PincerError.from(error));
      }
      options.onOpen();
      const deliveries = early;
      early = [];
      for (const delivery of deliveries) throttle.begin(delivery);
    }

    function receive({ event, data }: SseEvent): void {
      if (event === 'endpoint' && endpoint === undefined) return open(data);
      if (event !== 'message' || data === '') return;
      const message = read(data);
      if (message !== undefined) events.onMessage(message, undefined);
    }

    function read(data: ByteText): Message | undefined {
      try {
        return parseMessage(data);
      } catch (error) {
        if (error instanceof MalformedMessageError && error.id?.startsWith('"') === true)
          events.onRequestLost(plainString(error.id), true, malformedAnswer(server, error));
        log.warn(`server "${server}" sent something that is not a message`, { error: String(error) });
        return undefined;
      }
    }

    function post(message: ByteText, { id }: Outgoing, delivery: Delivery | undefined): void {
      const sent = new SsePost(peer, (failure) => {
        if (id === undefined) return unanswered.delete(sent);
        underWay.delete(id);
        if (isClosed) return;
        if (failure === undefined) return throttle.accepted();
        if (throttle.retryLater(failure, delivery)) return;
        events.onRequestLost(id, failure.wasSent, failure.reason);
        if (failure.sessionEnded) events.onSessionEnded(failure.reason);
      });
      if (id !== undefined) underWay.set(id, sent);
      else if (!unanswered.add(sent)) return;
      const body = Buffer.from(asBytes(message), 'latin1');
      pool.dispatch({ path: endpoint!, method: 'POST', headers, body }, sent);
    }

    const stream = openSseStream({ peer, pool, limits, headers, onEvent: receive, onEnd: end });

    return {
      isReady: true,
      send(message, about) {
        const { id } = about;
        const delivery: Delivery = {
          id,
          attempt: (isFirst) => post(message, about, isFirst ? delivery : undefined),
          refuse(reason) {
            if (id !== undefined) events.onRequestLost(id, false, reason);
          },
        };
        if (endpoint === undefined) early.push(delivery);
        else throttle.begin(delivery);
      },
      forget(id) {
        underWay.get(id)?.abort();
        underWay.delete(id);
        return throttle.forget(id);
      },
      speak: () => undefined,
      listen: () => undefined,
      close,
    } satisfies Wire;
  };

/**
 * Reads the `endpoint` event of HTTP+SSE (2024-11-05). It must have the server's own origin, because credentials and
 * calls are sent there.
 */
export function endpointPath({ server, url }: HttpPeer, data: ByteText): string {
  const endpoint = URL.parse(fromByteText(data), url.href);
  if (endpoint === null)
    throw new PincerError('SERVER_PROTOCOL', `Server "${server}" names an endpoint that is not a URL.`);
  if (endpoint.origin !== url.origin)
    throw new PincerError(
      'SERVER_PROTOCOL',
      `Server "${server}" asks for its messages at ${originOf(endpoint)}, which is not its configured origin.`,
      {
        hint: `Nothing was sent there. If the address is right, set servers.${server}.url to it.`,
      },
    );
  return endpoint.pathname + endpoint.search;
}

/** `file:` URLs and the like have no origin. */
const originOf = ({ origin, protocol }: URL): string =>
  origin === 'null' ? `a ${protocol} address` : origin;

/** One POST of HTTP+SSE (2024-11-05): accepted or refused here, answered on the stream. */
class SsePost implements Dispatcher.DispatchHandler {
  readonly #peer: HttpPeer;
  readonly #onEnd: (failure: HttpFailure | undefined) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: HttpHead | undefined;
  #wasSent = false;
  #isOver = false;

  /** `onEnd` is called once, unless aborted; without a failure if the server accepted the message. */
  constructor(peer: HttpPeer, onEnd: (failure: HttpFailure | undefined) => void) {
    this.#peer = peer;
    this.#onEnd = onEnd;
  }

  abort(): void {
    this.#isOver = true;
    this.#controller?.abort(new PincerError('CALL_CANCELLED', 'No longer awaited.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) this.abort();
    else this.#wasSent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#head = { status, headers };
  }

  onResponseData(): void {
    // "Accepted", or a short error.
  }

  onResponseEnd(): void {
    const { status } = this.#head!;
    // Only the stream shows whether the session is alive: 400 concerns this message only.
    if (status >= 200 && status < 300) this.#end(undefined);
    else this.#end(failureOfStatus(this.#peer, this.#head!, { hadSession: status === 404 }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // The message had been accepted before the rest of the response was lost.
    if (this.#head !== undefined) this.onResponseEnd();
    else this.#end(failureOfTransport(this.#peer.server, error, this.#wasSent));
  }

  #end(failure: HttpFailure | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(failure);
  }
}
