import { ShortLivedMap } from '../../lib/short-lived-map.ts';
import { PincerError } from '../../core/errors.ts';
import { asBytes, type ByteText, fromByteText } from '../../core/wire/byte-text.ts';
import { MalformedMessageError, parseMessage, plainString, type Message } from '../../core/wire/message.ts';
import type { SseEvent } from '../../core/wire/sse-reader.ts';
import { createCourtesy, type Errand } from './courtesy.ts';
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
  /** The server has said where messages go: it does have this transport. Until then they wait. */
  onOpen(): void;
}

/**
 * HTTP+SSE of 2024-11-05, as a client: one stream on which the server says everything, and a POST per message. Nothing
 * says which call a message on the stream belongs to, and when the stream ends, all calls under way do.
 */
export const openSseWire =
  (options: SseWireOptions): OpenWire =>
  (events) => {
    const { server, limits, log } = options;
    const pool = openSockets(options);
    const peer = peerOf(options);
    const courtesy = createCourtesy(server, limits.retryInPlaceMs, options.pause);
    const headers = { accept: 'application/json', ...options.headers, 'content-type': 'application/json' };
    const underWay = new ShortLivedMap<string, SsePost>();
    const unanswered = createUnanswered();
    let endpoint: string | undefined;
    let early: Errand[] = [];
    let isClosed = false;

    async function close(): Promise<void> {
      isClosed = true;
      courtesy.close();
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
      const errands = early;
      early = [];
      for (const errand of errands) courtesy.begin(errand);
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
        log.warn(`server "${server}" sent something that is no message`, { error: String(error) });
        return undefined;
      }
    }

    function post(message: ByteText, { id }: Outgoing, errand: Errand | undefined): void {
      const sent = new SsePost(peer, (failure) => {
        if (id === undefined) return unanswered.delete(sent);
        underWay.delete(id);
        if (isClosed) return;
        if (failure === undefined) return courtesy.welcome();
        if (courtesy.repeats(failure, errand)) return;
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
        const errand: Errand = {
          id,
          attempt: (isFirst) => post(message, about, isFirst ? errand : undefined),
          refuse(reason) {
            if (id !== undefined) events.onRequestLost(id, false, reason);
          },
        };
        if (endpoint === undefined) early.push(errand);
        else courtesy.begin(errand);
      },
      forget(id) {
        underWay.get(id)?.abort();
        underWay.delete(id);
        return courtesy.forget(id);
      },
      speak: () => undefined,
      listen: () => undefined,
      close,
    } satisfies Wire;
  };

/**
 * Where messages go in the HTTP+SSE transport of 2024-11-05. Pure. The path of the `endpoint` event. It has to be
 * of the server's own origin: credentials and calls go there.
 */
export function endpointPath({ server, url }: HttpPeer, data: ByteText): string {
  const endpoint = URL.parse(fromByteText(data), url.href);
  if (endpoint === null)
    throw new PincerError('SERVER_PROTOCOL', `Server "${server}" names an endpoint that is no address.`);
  if (endpoint.origin !== url.origin)
    throw new PincerError(
      'SERVER_PROTOCOL',
      `Server "${server}" wants its messages sent to ${originOf(endpoint)}, which is not where it is configured.`,
      {
        hint: `Nothing was sent there. If that is its right address, put it into servers.${server}.url.`,
      },
    );
  return endpoint.pathname + endpoint.search;
}

/** Of `file:` and the like there is none. */
const originOf = ({ origin, protocol }: URL): string =>
  origin === 'null' ? `a ${protocol} address` : origin;

/** One POST of the HTTP+SSE transport of 2024-11-05: it is taken or refused here, and answered elsewhere. */
class SsePost implements Dispatcher.DispatchHandler {
  readonly #peer: HttpPeer;
  readonly #onEnd: (failure: HttpFailure | undefined) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: HttpHead | undefined;
  #wasSent = false;
  #isOver = false;

  /** `onEnd` once, unless it was aborted; undefined: the server has taken it. */
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
    // "Accepted", or a few words about why not.
  }

  onResponseEnd(): void {
    const { status } = this.#head!;
    // Only the stream tells whether the session is alive: 400 is about the message alone.
    if (status >= 200 && status < 300) this.#end(undefined);
    else this.#end(failureOfStatus(this.#peer, this.#head!, { hadSession: status === 404 }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // It had been taken when the rest of the response was lost.
    if (this.#head !== undefined) this.onResponseEnd();
    else this.#end(failureOfTransport(this.#peer.server, error, this.#wasSent));
  }

  #end(failure: HttpFailure | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(failure);
  }
}
