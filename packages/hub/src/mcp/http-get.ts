/** One GET: the client listens to its legacy session, or comes back to a stream of it that was cut off. */
import { openEvents, takesEvents, type EventStream } from './event-stream.ts';
import type { McpHttpParts } from './http.ts';
import { header } from '../http/header.ts';
import { HAS_STREAM, NO_EVENTS, STREAM_OVER, TOO_MANY_STREAMS } from './http-refusals.ts';
import type { Arrival } from './http-reply.ts';
import { errorText, type RpcFailure } from './reply.ts';
import type { Session } from './sessions.ts';

export class HttpGet {
  readonly #parts: McpHttpParts;
  readonly #arrival: Arrival;
  readonly #session: Session;
  /** When the client last got a sign of life. */
  #since: number;

  constructor(parts: McpHttpParts, arrival: Arrival, session: Session) {
    this.#parts = parts;
    this.#arrival = arrival;
    this.#session = session;
    this.#since = parts.elapsed();
  }

  /** Whether it stays open; `onClosed` is called when it no longer does. */
  start(onClosed: () => void): boolean {
    const { request, response, caller } = this.#arrival;
    const { streams, client } = this.#session;
    request.resume();
    if (!takesEvents(request.headers.accept)) return this.#refuse(NO_EVENTS);
    const lastEventId = header(request.headers['last-event-id']);
    const resumed = lastEventId === undefined ? undefined : streams.resume(lastEventId);
    if (resumed === undefined && streams.own.isCarried) return this.#refuse(HAS_STREAM);
    if (resumed !== undefined && resumed.stream === undefined) {
      // An empty stream would bring the client back at once, to whichever stream it is given then.
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

  /** A credential that has been revoked ends it. */
  endIfRevoked(): void {
    const { request, response, caller } = this.#arrival;
    if (!this.#parts.isValid(request, caller)) response.destroy();
  }

  /** Once in a while: a sign of life. */
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
