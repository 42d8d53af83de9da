/**
 * The streams of one legacy session: the one that the client opens with GET, and those that answers to its POSTs became.
 * Each outlives the connection that carries it (MCP 2025-11-25, "Resumability and Redelivery").
 */
import type { ByteText } from '../../core/wire/byte-text.ts';
import { EventStore, type ReplayBudget, type ReplayLimits } from './event-store.ts';
import { EventStream, type EventTrack } from './event-stream.ts';
import { QUESTION_SLACK, type Outlet } from './reply.ts';

export interface StreamLimits extends ReplayLimits {
  readonly maxUnsentToClientBytes: number;
  readonly resumeWaitMs: number;
}

/** What a client gets that comes back; without `stream`, that is all there will ever be. */
export interface Resumption {
  readonly stream: EventStream | undefined;
  readonly missed: ByteText;
}

const OWN = 0;
const EVENT_ID = /^(\d{1,15})_(\d{1,15})$/;

export class SessionStreams implements Outlet {
  /** The one that the client opens with GET. */
  readonly own: EventStream;
  readonly #limits: StreamLimits;
  readonly #borrow: () => Outlet | undefined;
  readonly #store: EventStore;
  readonly #answers = new Map<number, EventStream>();
  #count = OWN;

  /** `borrow` finds an answer under way that takes messages which belong to no call. */
  constructor(limits: StreamLimits, borrow: () => Outlet | undefined, budget?: ReplayBudget) {
    this.#limits = limits;
    this.#borrow = borrow;
    this.#store = new EventStore(limits, budget);
    this.own = new EventStream(() => undefined, new Track(OWN, this.#store));
  }

  /** An answer becomes a stream. */
  open(onDropped: () => void): EventStream {
    const number = ++this.#count;
    const stream = new EventStream(onDropped, new Track(number, this.#store, () => this.#close(number)));
    this.#answers.set(number, stream);
    return stream;
  }

  /** Undefined: this session does not know, or no longer knows, an event of that id. */
  resume(lastEventId: string): Resumption | undefined {
    const [, stream, count] = EVENT_ID.exec(lastEventId) ?? [];
    if (stream === undefined) return undefined;
    const number = Number(stream);
    const open = number === OWN ? this.own : this.#answers.get(number);
    if (open === undefined && !this.#store.has(number)) return undefined;
    return { stream: open, missed: this.#store.after(number, Number(count)) };
  }

  notify(text: ByteText): void {
    if (this.own.isCarried) {
      if (this.own.unsentBytes <= this.#limits.maxUnsentToClientBytes) this.own.send(text);
      return;
    }
    const answer = this.#borrow();
    if (answer !== undefined) answer.notify(text);
    // Kept for a client that knows where it was.
    else if (this.own.canResume) this.own.send(text);
  }

  ask(text: ByteText): boolean {
    if (!this.own.isCarried) return this.#borrow()?.ask(text) ?? false;
    if (this.own.unsentBytes > QUESTION_SLACK * this.#limits.maxUnsentToClientBytes) return false;
    this.own.send(text);
    return true;
  }

  /** The session has ended. */
  clear(): void {
    this.#store.clear();
  }

  /** The end of an answer can be asked for again for a while. */
  #close(number: number): void {
    this.#answers.delete(number);
    setTimeout(() => this.#store.forget(number), this.#limits.resumeWaitMs).unref();
  }
}

/** Ids are `<stream>_<event>`; they are looked up within their session alone, so that they need not be secrets. */
class Track implements EventTrack {
  canResume = false;
  readonly #stream: number;
  readonly #store: EventStore;
  readonly #onEnd: (() => void) | undefined;
  #count = 0;

  constructor(stream: number, store: EventStore, onEnd?: () => void) {
    this.#stream = stream;
    this.#store = store;
    this.#onEnd = onEnd;
  }

  record(event: ByteText): ByteText {
    this.canResume = true;
    const count = ++this.#count;
    const text: ByteText = `id: ${this.#stream}_${count}\n${event}`;
    this.#store.add({ stream: this.#stream, count, text });
    return text;
  }

  prime(): ByteText {
    this.canResume = true;
    return `id: ${this.#stream}_${this.#count}\ndata: \n\n`;
  }

  end(): void {
    this.#onEnd?.();
  }
}
