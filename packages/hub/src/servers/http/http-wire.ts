import { ShortLivedMap } from '../../lib/short-lived-map.ts';
import type { Dispatcher } from 'undici';
import { PincerError } from '../../core/errors.ts';
import { MODERN_VERSION } from '../../core/protocol.ts';
import { asBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { createThrottle, type Delivery, type Pause } from './throttle.ts';
import { HttpExchange, type HttpExchangeHost } from './http-exchange.ts';
import { encodeHeader, NAMED_IN_HEADER, streamHeaders } from './http-headers.ts';
import { openNoticeStream, type NoticeStream } from './http-notices.ts';
import { openSockets, peerOf, type HttpTarget } from './http-target.ts';
import type { Sockets } from './signed-sockets.ts';
import { createUnanswered } from './unanswered.ts';
import type { OpenWire, Outgoing, Wire } from '../wire.ts';

export interface HttpWireOptions extends HttpTarget {
  /** The throttle state shared by all wires to this server. */
  readonly pause?: Pause;
}

const SESSION_END_WAIT_MS = 1_000;

/** Streamable HTTP, as a client: one POST per message, answered with JSON or an event stream. */
export const openHttpWire =
  (options: HttpWireOptions): OpenWire =>
  (events) => {
    const { url, server, limits, log } = options;
    const path = url.pathname + url.search;
    const pool = openSockets(options);
    const peer = peerOf(options);
    const throttle = createThrottle(server, limits.retryInPlaceMs, options.pause);
    const underWay = new ShortLivedMap<string, HttpExchange>();
    const unanswered = createUnanswered();
    let version: string | undefined;
    let session: string | undefined;
    let closed = false;
    let notices: NoticeStream | undefined;

    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...options.headers,
    };

    function headersFor({ method, name, headers: more = {} }: Outgoing): Record<string, string> {
      if (version !== MODERN_VERSION) return headers;
      const own: Record<string, string> = { ...headers, 'mcp-method': method };
      if (name !== undefined && NAMED_IN_HEADER.has(method)) own['mcp-name'] = encodeHeader(name);
      for (const [header, value] of Object.entries(more)) own[header.toLowerCase()] = encodeHeader(value);
      return own;
    }

    const host: HttpExchangeHost = {
      peer,
      limits,
      log,
      onMessage: events.onMessage,
      /** Requests the rest of a stream that ended early. */
      onCut(exchange, lastEventId, delayMs) {
        setTimeout(() => {
          if (!closed)
            pool.dispatch({ path, method: 'GET', headers: streamHeaders(headers, lastEventId) }, exchange);
        }, delayMs).unref();
      },
      onSession(value) {
        session = value;
        headers['mcp-session-id'] = value;
      },
      onEnd(exchange, failure) {
        const { id, delivery } = exchange.sent;
        if (id === undefined) return unanswered.delete(exchange);
        underWay.delete(id);
        if (closed) return;
        if (failure === undefined) return throttle.accepted();
        if (throttle.retryLater(failure, delivery)) return;
        events.onRequestLost(id, failure.wasSent, failure.reason);
        if (failure.sessionEnded) events.onSessionEnded(failure.reason);
      },
    };

    function post(message: ByteText, about: Outgoing, delivery: Delivery | undefined): void {
      const { id } = about;
      const hadSession = session !== undefined;
      const canResume = version !== MODERN_VERSION;
      const exchange = new HttpExchange(host, { id, hadSession, canResume, delivery });
      if (id !== undefined) underWay.set(id, exchange);
      else if (!unanswered.add(exchange)) return;
      const body = Buffer.from(asBytes(message), 'latin1');
      pool.dispatch({ path, method: 'POST', headers: headersFor(about), body }, exchange);
    }

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
        throttle.begin(delivery);
      },
      forget(id) {
        // It was never sent, so the server need not be told.
        if (throttle.forget(id)) return true;
        underWay.get(id)?.abort();
        underWay.delete(id);
        // 2026-07-28 transports: closing the stream cancels the request.
        return version === MODERN_VERSION;
      },
      speak(value) {
        version = value;
        if (value === undefined) delete headers['mcp-protocol-version'];
        else headers['mcp-protocol-version'] = value;
      },
      listen() {
        notices ??= openNoticeStream({
          server,
          pool,
          path,
          limits,
          log,
          headers,
          onMessage: events.onMessage,
        });
      },
      get session() {
        return session;
      },
      async close() {
        closed = true;
        throttle.close();
        notices?.close();
        for (const exchange of underWay.values()) exchange.abort();
        if (session !== undefined) await endSession(pool, path, headers);
        await pool.destroy(new PincerError('SERVER_GONE', `The connection to "${server}" was closed.`));
      },
    } satisfies Wire;
  };

/** Does not wait long: a server that does not answer will expire the session. */
function endSession(pool: Sockets, path: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, SESSION_END_WAIT_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: () => undefined,
      onResponseEnd: done,
      onResponseError: done,
    };
    pool.dispatch({ path, method: 'DELETE', headers }, handler);
  });
}
