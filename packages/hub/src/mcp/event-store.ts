import type { ByteText } from '../core/wire/byte-text.ts';

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
