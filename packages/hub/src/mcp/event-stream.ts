/** Server-sent events to a client: over one response, or over several if a session stores them for replay. */
import type { ServerResponse } from 'node:http';
import { asBytes, oneLine, type ByteText } from '../core/wire/byte-text.ts';

/** How a session numbers and stores the events of one stream. */
export interface EventTrack {
  /** The client has an event id to resume from. */
  readonly canResume: boolean;
  /** Stores the event and returns it with its id. */
  record(event: ByteText): ByteText;
  /** An event without data: lets a client resume that is cut off before the first message. */
  prime(): ByteText;
  /** The stream is complete. */
  end(): void;
}

const HEAD = ['content-type', 'text/event-stream', 'cache-control', 'no-cache', 'x-accel-buffering', 'no'];

export const takesEvents = (accept: string | undefined): boolean =>
  accept !== undefined && accept.includes('text/event-stream');

/** Answers with an event stream; sends the headers at once, even if there is no event yet. */
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

  /** Whether a response carries the stream now. */
  get isCarried(): boolean {
    return this.#carrier !== undefined;
  }

  /** Whether a client that was cut off can resume. */
  get canResume(): boolean {
    return this.#track?.canResume === true;
  }

  /** Bytes that the client has not read yet. */
  get unsentBytes(): number {
    return this.#carrier?.writableLength ?? 0;
  }

  /** Moves the stream to this response; the previous one is considered lost. */
  carryOn(response: ServerResponse, first: ByteText): void {
    const lost = this.#carrier;
    this.#carrier = response;
    lost?.destroy();
    openEvents(response, first);
  }

  /** Called when the response closes. */
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

  /** Keeps the connection alive. */
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

/** Shared limit for the replay buffers of all sessions; when it is used up, a session stores less. */
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

/** The latest events of one session's streams, for clients that resume. The oldest are removed first. */
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
    // An event larger than the whole buffer must not push out the others.
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

  /** The events of a stream after this one. */
  after(stream: number, count: number): ByteText {
    let text = '';
    for (const event of this.#events) if (event.stream === stream && event.count > count) text += event.text;
    return text;
  }

  forget(stream: number): void {
    for (const event of this.#events) if (event.stream === stream) this.#remove(event);
  }

  /** Called when the session ends. */
  clear(): void {
    for (const event of this.#events) this.#remove(event);
  }

  #remove(event: StoredEvent): void {
    this.#events.delete(event);
    this.#bytes -= event.text.length;
    this.#budget.used -= event.text.length;
  }
}
