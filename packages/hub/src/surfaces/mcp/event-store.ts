import type { ByteText } from '../../core/wire/byte-text.ts';

export interface ReplayLimits {
  readonly maxReplayEvents: number;
  readonly maxReplayBytes: number;
}

interface StoredEvent {
  readonly stream: number;
  readonly count: number;
  readonly text: ByteText;
}

/** The latest events of one session's streams, for a client that was cut off and comes back. The oldest make room. */
export class EventStore {
  readonly #limits: ReplayLimits;
  readonly #events = new Set<StoredEvent>();
  #bytes = 0;

  constructor(limits: ReplayLimits) {
    this.#limits = limits;
  }

  add(event: StoredEvent): void {
    const { maxReplayEvents, maxReplayBytes } = this.#limits;
    // One that is too large for all the room there is must not push out the others.
    if (event.text.length > maxReplayBytes) return;
    this.#events.add(event);
    this.#bytes += event.text.length;
    for (const oldest of this.#events) {
      if (this.#events.size <= maxReplayEvents && this.#bytes <= maxReplayBytes) return;
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

  #remove(event: StoredEvent): void {
    this.#events.delete(event);
    this.#bytes -= event.text.length;
  }
}
