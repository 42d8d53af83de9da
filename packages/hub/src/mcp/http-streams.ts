/** GET: streams for messages that belong to no call. */
import { openEvents, takesEvents, type EventStream } from './event-stream.ts';
import type { McpHttpParts } from './http.ts';
import { header } from '../http/header.ts';
import {
  HAS_STREAM,
  NO_EVENTS,
  STREAM_OVER,
  TOO_MANY_STREAMS,
  errorText,
  type RpcFailure,
  notificationText,
} from './reply.ts';
import type { Arrival } from './http-reply.ts';
import type { Session } from './sessions.ts';
import { STRANGER } from '../core/client.ts';
import { asBytes, type ByteText } from '../core/wire/byte-text.ts';

/** The GET stream of a legacy session, or a resumed stream of it. */
export class HttpGet {
  readonly #parts: McpHttpParts;
  readonly #arrival: Arrival;
  readonly #session: Session;
  /** When the last keep-alive was sent. */
  #since: number;

  constructor(parts: McpHttpParts, arrival: Arrival, session: Session) {
    this.#parts = parts;
    this.#arrival = arrival;
    this.#session = session;
    this.#since = parts.elapsed();
  }

  /** Returns whether the stream stays open; `onClosed` is called when it closes. */
  start(onClosed: () => void): boolean {
    const { request, response, caller } = this.#arrival;
    const { streams, client } = this.#session;
    request.resume();
    if (!takesEvents(request.headers.accept)) return this.#refuse(NO_EVENTS);
    const lastEventId = header(request.headers['last-event-id']);
    const resumed = lastEventId === undefined ? undefined : streams.resume(lastEventId);
    if (resumed === undefined && streams.own.isCarried) return this.#refuse(HAS_STREAM);
    if (resumed !== undefined && resumed.stream === undefined) {
      // After an empty stream the client would reconnect at once, and might get another stream.
      if (resumed.missed === '') return this.#refuse(STREAM_OVER);
      openEvents(response, resumed.missed);
      response.end();
      return false;
    }
    if (!this.#parts.slots.streams.take(caller.id)) return this.#refuse(TOO_MANY_STREAMS);
    const stream = resumed?.stream ?? streams.own;
    response.on('close', () => {
      this.#onClose(stream);
      onClosed();
    });
    stream.carryOn(response, resumed?.missed ?? (client.takesEmptyEvents ? stream.prime() : ''));
    return true;
  }

  /** Ends the stream if its credential was revoked. */
  endIfRevoked(): void {
    const { request, response, caller } = this.#arrival;
    if (!this.#parts.isValid(request, caller)) response.destroy();
  }

  /** Called periodically: sends a keep-alive. */
  check(now: number): void {
    const { response } = this.#arrival;
    if (now - this.#since < this.#parts.limits.keepAliveMs) return;
    this.#since = now;
    if (!response.writableEnded) response.write(': still here\n\n');
  }

  #onClose(stream: EventStream): void {
    this.#parts.slots.streams.release(this.#arrival.caller.id);
    this.#session.lastUsed = this.#parts.elapsed();
    stream.drop(this.#arrival.response);
  }

  #refuse(failure: RpcFailure): false {
    this.#parts.refuse(this.#arrival.response, failure, errorText(undefined, failure));
    return false;
  }
}

/** Without sessions: notifies the client of changes while the stream is open. */
export class HttpWatch {
  readonly #parts: McpHttpParts;
  readonly #arrival: Arrival;
  /** When the last keep-alive was sent. */
  #since: number;

  constructor(parts: McpHttpParts, arrival: Arrival) {
    this.#parts = parts;
    this.#arrival = arrival;
    this.#since = parts.elapsed();
  }

  /** Returns whether the stream stays open; `onClosed` is called when it closes. */
  start(onClosed: () => void): boolean {
    const { request, response, caller, view } = this.#arrival;
    request.resume();
    if (!takesEvents(request.headers.accept)) return this.#refuse(NO_EVENTS);
    const { streams } = this.#parts.slots;
    if (!streams.take(caller.id)) return this.#refuse(TOO_MANY_STREAMS);
    const notify = (method: string, params: ByteText): void =>
      this.#write(`event: message\ndata: ${notificationText(method, params)}\n\n`);
    const stopListening = this.#parts.onClient({ ...STRANGER, notify }, caller, view);
    response.on('close', () => {
      streams.release(caller.id);
      stopListening();
      onClosed();
    });
    openEvents(response, '');
    return true;
  }

  /** Ends the stream if its credential was revoked or its view has ended. */
  endIfRevoked(): void {
    const { request, response, caller, view } = this.#arrival;
    if (!this.#parts.isValid(request, caller) || this.#parts.isThere?.(view) === false) response.end();
  }

  /** Called periodically: sends a keep-alive. */
  check(now: number): void {
    if (now - this.#since < this.#parts.limits.keepAliveMs) return;
    this.#since = now;
    this.#write(': still here\n\n');
  }

  #write(events: ByteText): void {
    const { response } = this.#arrival;
    const { maxUnsentToClientBytes } = this.#parts.limits;
    if (!response.writableEnded && response.writableLength <= maxUnsentToClientBytes)
      response.write(asBytes(events), 'latin1');
  }

  #refuse(failure: RpcFailure): false {
    this.#parts.refuse(this.#arrival.response, failure, errorText(undefined, failure));
    return false;
  }
}
