/** The calls of one connection that await their answer, and their deadlines. */
import type { Clock } from '../../../core/ports.ts';
import type { Exchange, SourceRequest } from '../../../core/request.ts';
import type { ByteText } from '../../../core/wire/byte-text.ts';

export interface PendingCall {
  readonly id: string;
  readonly request: SourceRequest;
  readonly exchange: Exchange;
  readonly progressToken: ByteText | undefined;
  deadline: number;
  /** Progress makes it no longer than this. */
  readonly endsBy: number;
  /** There while the call waits for the wire to drain. */
  held: ByteText | undefined;
  /** Questions of the server that its client thinks about. */
  questions: number;
}

export interface PendingCallsOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  onExpired(call: PendingCall): void;
}

export class PendingCalls {
  readonly #options: PendingCallsOptions;
  /** In the order of their deadlines: all have the same time, and progress moves one to the end. */
  readonly #running = new Map<string, PendingCall>();
  /** Those whose client is asked something: people take their time, so the server's deadline rests meanwhile. */
  readonly #resting = new Map<string, PendingCall>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PendingCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size + this.#resting.size;
  }

  add(call: PendingCall): void {
    this.#running.set(call.id, call);
    if (this.#timer === undefined) this.#arm();
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
    const deadline = this.#options.clock.elapsed() + this.#options.timeoutMs;
    // One that has reported long enough keeps the deadline that it has.
    if (deadline > call.endsBy || !this.#running.delete(call.id)) return;
    call.deadline = deadline;
    this.#running.set(call.id, call);
  }

  questionAsked(call: PendingCall): void {
    call.questions++;
    if (this.#running.delete(call.id)) this.#resting.set(call.id, call);
  }

  questionEnded(call: PendingCall): void {
    call.questions--;
    if (call.questions > 0 || !this.#resting.delete(call.id)) return;
    call.deadline = this.#options.clock.elapsed() + this.#options.timeoutMs;
    this.add(call);
  }

  /** Those that rest, then the others in the order of their deadlines. */
  *[Symbol.iterator](): Iterator<PendingCall> {
    yield* this.#resting.values();
    yield* this.#running.values();
  }

  /** All of them, which are no longer awaited. */
  takeAll(): PendingCall[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const calls = [...this];
    this.#running.clear();
    this.#resting.clear();
    return calls;
  }

  /** One timer for all calls: it waits for the first deadline, and looks again when that call has ended. */
  #arm(): void {
    this.#timer = undefined;
    const first = this.#running.values().next().value;
    if (first === undefined) return;
    this.#timer = setTimeout(
      () => this.#expire(),
      Math.max(1, first.deadline - this.#options.clock.elapsed()),
    );
  }

  #expire(): void {
    const now = this.#options.clock.elapsed();
    for (const call of this.#running.values()) {
      if (call.deadline > now) break;
      this.#options.onExpired(call);
    }
    this.#arm();
  }
}
