import { PincerError } from '../../../core/errors.ts';
import { asBytes, type ByteText } from '../../../core/wire/byte-text.ts';
import {
  MalformedMessageError,
  parseMessage,
  plainString,
  type Message,
} from '../../../core/wire/message.ts';
import type { SseEvent } from '../../../core/wire/sse-reader.ts';
import { createCourtesy, type Errand } from './courtesy.ts';
import { openSockets, peerOf } from './http-target.ts';
import type { HttpWireOptions } from './http-wire.ts';
import { malformedAnswer } from '../connection/malformed-answer.ts';
import { endpointPath } from './sse-endpoint.ts';
import { SsePost } from './sse-post.ts';
import { openSseStream } from './sse-stream.ts';
import { createUnanswered } from './unanswered.ts';
import type { OpenWire, Outgoing, Wire } from '../wire.ts';

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
    const underWay = new Map<string, SsePost>();
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
