/** Server-sent events towards a client, over one response or, where a session remembers them, over several. */
import type { ServerResponse } from 'node:http';
import { asBytes, oneLine, type ByteText } from '../core/wire/byte-text.ts';

/** How a session numbers and remembers the events of one stream. */
export interface EventTrack {
  /** The client has been told an id that it can come back with. */
  readonly canResume: boolean;
  /** The event with its id, remembered. */
  record(event: ByteText): ByteText;
  /** An event without data: a client that is cut off before the first message can come back all the same. */
  prime(): ByteText;
  /** The stream has said its last. */
  end(): void;
}

const HEAD = ['content-type', 'text/event-stream', 'cache-control', 'no-cache', 'x-accel-buffering', 'no'];

export const takesEvents = (accept: string | undefined): boolean =>
  accept !== undefined && accept.includes('text/event-stream');

/** Answers with a stream of events; the client gets to know at once, be there one already or not. */
export function openEvents(response: ServerResponse, first: ByteText): void {
  response.writeHead(200, HEAD);
  if (first === '') response.flushHeaders();
  else response.write(asBytes(first), 'latin1');
}

export class EventStream {
  readonly #track: EventTrack | undefined;
  readonly #onDropped: () => void;
  #carrier: ServerResponse | undefined;

  constructor(onDropped: () => void, track?: EventTrack) {
    this.#onDropped = onDropped;
    this.#track = track;
  }

  /** Whether a response carries it now. */
  get isCarried(): boolean {
    return this.#carrier !== undefined;
  }

  /** Whether a client that was cut off can come back to it. */
  get canResume(): boolean {
    return this.#track?.canResume === true;
  }

  /** Bytes that its client has not read yet. */
  get unsentBytes(): number {
    return this.#carrier?.writableLength ?? 0;
  }

  /** From now on this response carries it; the one that did has been lost, whether it knows or not. */
  carryOn(response: ServerResponse, first: ByteText): void {
    const lost = this.#carrier;
    this.#carrier = response;
    lost?.destroy();
    openEvents(response, first);
  }

  /** The response has closed. */
  drop(response: ServerResponse): void {
    if (this.#carrier !== response) return;
    this.#carrier = undefined;
    this.#onDropped();
  }

  prime(): ByteText {
    return this.#track?.prime() ?? '';
  }

  send(message: ByteText): void {
    this.#write(this.#eventOf(message));
  }

  /** A sign of life. */
  comment(text: string): void {
    this.#write(`: ${text}\n\n`);
  }

  end(message?: ByteText): void {
    if (message !== undefined) this.#write(this.#eventOf(message));
    this.#track?.end();
    this.#carrier?.end();
  }

  #eventOf(message: ByteText): ByteText {
    const event: ByteText = `event: message\ndata: ${oneLine(message)}\n\n`;
    return this.#track?.record(event) ?? event;
  }

  #write(events: ByteText): void {
    const carrier = this.#carrier;
    if (carrier !== undefined && !carrier.destroyed && !carrier.writableEnded)
      carrier.write(asBytes(events), 'latin1');
  }
}

export interface ReplayLimits {
  readonly maxReplayEvents: number;
  readonly maxReplayBytes: number;
}

/** What all sessions together keep; one that finds it used up keeps less. */
export class ReplayBudget {
  used = 0;
  readonly max: number;

  constructor(max: number) {
    this.max = max;
  }
}

interface StoredEvent {
  readonly stream: number;
  readonly count: number;
  readonly text: ByteText;
}

/** The latest events of one session's streams, for a client that was cut off and comes back. The oldest make room. */
export class EventStore {
  readonly #limits: ReplayLimits;
  readonly #budget: ReplayBudget;
  readonly #events = new Set<StoredEvent>();
  #bytes = 0;

  constructor(limits: ReplayLimits, budget = new ReplayBudget(Infinity)) {
    this.#limits = limits;
    this.#budget = budget;
  }

  add(event: StoredEvent): void {
    const { maxReplayEvents, maxReplayBytes } = this.#limits;
    // One that is too large for all the room there is must not push out the others.
    if (event.text.length > maxReplayBytes) return;
    this.#events.add(event);
    this.#bytes += event.text.length;
    this.#budget.used += event.text.length;
    for (const oldest of this.#events) {
      const isWithin = this.#events.size <= maxReplayEvents && this.#bytes <= maxReplayBytes;
      if (isWithin && this.#budget.used <= this.#budget.max) return;
      this.#remove(oldest);
    }
  }

  has(stream: number): boolean {
    for (const event of this.#events) if (event.stream === stream) return true;
    return false;
  }

  /** What a stream said after this event of it. */
  after(stream: number, count: number): ByteText {
    let text = '';
    for (const event of this.#events) if (event.stream === stream && event.count > count) text += event.text;
    return text;
  }

  forget(stream: number): void {
    for (const event of this.#events) if (event.stream === stream) this.#remove(event);
  }

  /** Nobody comes back any more. */
  clear(): void {
    for (const event of this.#events) this.#remove(event);
  }

  #remove(event: StoredEvent): void {
    this.#events.delete(event);
    this.#bytes -= event.text.length;
    this.#budget.used -= event.text.length;
  }
}
