/** The calls of one connection that await their answer, and their deadlines. */
import type { Clock } from '../../core/ports.ts';
import type { Exchange, SourceRequest } from '../../core/request.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';

export interface PendingCall {
  readonly id: string;
  readonly request: SourceRequest;
  readonly exchange: Exchange;
  readonly progressToken: ByteText | undefined;
  deadline: number;
  /** How long it may be silent. */
  readonly timeoutMs: number;
  /** Progress makes it no longer than this. */
  readonly endsBy: number;
  /** There while the call waits for the wire to drain. */
  held: ByteText | undefined;
  /** Questions of the server that its client thinks about. */
  questions: number;
}

export interface PendingCallsOptions {
  readonly clock: Clock;
  onExpired(call: PendingCall): void;
}

export class PendingCalls {
  readonly #options: PendingCallsOptions;
  readonly #running = new Map<string, PendingCall>();
  /** Those whose client is asked something: people take their time, so the server's deadline rests meanwhile. */
  readonly #resting = new Map<string, PendingCall>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  #armedFor = Infinity;

  constructor(options: PendingCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size + this.#resting.size;
  }

  add(call: PendingCall): void {
    this.#running.set(call.id, call);
    if (call.deadline < this.#armedFor) this.#arm();
  }

  get(id: string): PendingCall | undefined {
    return this.#running.get(id) ?? this.#resting.get(id);
  }

  take(id: string): PendingCall | undefined {
    const call = this.#running.get(id);
    if (call !== undefined) {
      this.#running.delete(id);
      return call;
    }
    const resting = this.#resting.get(id);
    this.#resting.delete(id);
    return resting;
  }

  /** The call shows life: its time begins anew. */
  prolong(call: PendingCall): void {
    const deadline = this.#options.clock.elapsed() + call.timeoutMs;
    // One that has reported long enough keeps the deadline that it has.
    if (deadline > call.endsBy || !this.#running.has(call.id)) return;
    call.deadline = deadline;
  }

  questionAsked(call: PendingCall): void {
    call.questions++;
    if (this.#running.delete(call.id)) this.#resting.set(call.id, call);
  }

  questionEnded(call: PendingCall): void {
    call.questions--;
    if (call.questions > 0 || !this.#resting.delete(call.id)) return;
    call.deadline = this.#options.clock.elapsed() + call.timeoutMs;
    this.add(call);
  }

  /** Those that rest, then the others in the order in which they were sent. */
  *[Symbol.iterator](): Iterator<PendingCall> {
    yield* this.#resting.values();
    yield* this.#running.values();
  }

  /** All of them, which are no longer awaited. */
  takeAll(): PendingCall[] {
    this.#disarm();
    const calls = [...this];
    this.#running.clear();
    this.#resting.clear();
    return calls;
  }

  /** One timer for all calls: it waits for the first deadline, and looks again when that call has ended. */
  #arm(): void {
    this.#disarm();
    for (const { deadline } of this.#running.values())
      if (deadline < this.#armedFor) this.#armedFor = deadline;
    if (this.#armedFor === Infinity) return;
    const delayMs = Math.max(1, this.#armedFor - this.#options.clock.elapsed());
    this.#timer = setTimeout(() => this.#expire(), delayMs);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#armedFor = Infinity;
  }

  #expire(): void {
    const now = this.#options.clock.elapsed();
    for (const call of this.#running.values()) if (call.deadline <= now) this.#options.onExpired(call);
    this.#arm();
  }
}
