/** One GET where every request stands by itself: the client hears of changes as long as it listens. */
import { STRANGER } from '../core/client.ts';
import { asBytes, type ByteText } from '../core/wire/byte-text.ts';
import { openEvents, takesEvents } from './event-stream.ts';
import type { McpHttpParts } from './http.ts';
import { NO_EVENTS, TOO_MANY_STREAMS } from './http-refusals.ts';
import type { Arrival } from './http-reply.ts';
import { errorText, notificationText, type RpcFailure } from './reply.ts';

export class HttpWatch {
  readonly #parts: McpHttpParts;
  readonly #arrival: Arrival;
  /** When the client last got a sign of life. */
  #since: number;

  constructor(parts: McpHttpParts, arrival: Arrival) {
    this.#parts = parts;
    this.#arrival = arrival;
    this.#since = parts.elapsed();
  }

  /** Whether it stays open; `onClosed` is called when it no longer does. */
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

  /** A credential that has been revoked ends it, and so does the end of what it looks at. */
  endIfRevoked(): void {
    const { request, response, caller, view } = this.#arrival;
    if (!this.#parts.isValid(request, caller) || this.#parts.isThere?.(view) === false) response.end();
  }

  /** Once in a while: a sign of life. */
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
