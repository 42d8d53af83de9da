/**
 * Delays calls until the server knows its client's roots. A server that replaces its folders with roots asks for them
 * after `initialized` and after each change. Until it has the answer it uses its own folders, or the roots of the
 * previous call.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startLater, type Asked, type Exchange, type Question, type Running } from '../../core/request.ts';
import { PincerError } from '../../core/errors.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';

export interface RootsFirstOptions {
  /** Each call may come from another client, so the roots are refreshed before each call. */
  readonly isForOneCall: boolean;
  ping(timeoutMs: number): Promise<unknown>;
  /** Makes the server ask for the roots again. */
  tellChanged(): void;
  /** Closes the connection when the server waits for an answer that will not come. */
  giveUp(reason: PincerError): void;
}

/** How long to wait for a ping's answer. */
const PING_MS = 15_000;
/**
 * A server checks the folders on disk before it uses them, without saying when it is done. So it gets this many pings
 * with a pause before each: on a busy machine both a ping and the check take longer. 60 ms in total were once too
 * short.
 */
const APPLY_PINGS = 10;
const APPLY_PAUSE_MS = 25;
/** A longer answer counts as changed each time. */
const MAX_REMEMBERED = 64 * 1024;

const ANSWERED_LATE = new PincerError('SERVER_GONE', 'The client disconnected before it sent its roots.');

export class RootsFirst {
  readonly #options: RootsFirstOptions;
  /** Calls wait for this; undefined if the server may not know the current roots. */
  #known: Promise<void> | undefined;
  /** The call that can carry the question, if its client cannot be asked outside of calls. */
  #asker: Exchange | undefined;
  #hasAsked = false;
  #open = 0;
  #answer: ByteText | undefined;
  #isNew = false;
  #answered: (() => void) | undefined;
  #waiting = 0;

  constructor(options: RootsFirstOptions) {
    this.#options = options;
  }

  /** Calls that wait for the roots. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Starts a call once the server knows the roots of its client. */
  start(exchange: Exchange, start: () => Running): Running {
    if (this.#options.isForOneCall && this.#hasAsked) {
      this.#options.tellChanged();
      this.#known = undefined;
    }
    this.#known ??= this.#learn(exchange);
    this.#waiting++;
    const known = this.#known.finally(() => this.#waiting--);
    const running = startLater(known, start, exchange);
    return {
      cancel: (reason) => {
        running.cancel(reason);
        if (this.#asker === exchange && this.#open > 0) this.#options.giveUp(ANSWERED_LATE);
      },
    };
  }

  /** The client reported that its roots changed. */
  changed(): void {
    this.#known = undefined;
  }

  /** Asks the client of the waiting call. Returns undefined if no call waits. */
  ask(question: Question): Asked | undefined {
    return this.#asker?.ask(question);
  }

  /** The server asks for the roots. */
  questionOpened(): void {
    this.#hasAsked = true;
    this.#open++;
  }

  /** The question was answered, or ended without an answer. */
  questionClosed(answer: ByteText | undefined): void {
    this.#open--;
    if (answer === undefined || answer !== this.#answer) this.#isNew = true;
    this.#answer = answer !== undefined && answer.length <= MAX_REMEMBERED ? answer : undefined;
    if (this.#open === 0) this.#answered?.();
  }

  async #learn(exchange: Exchange): Promise<void> {
    this.#asker = exchange;
    try {
      // A server that asks at once does so before it answers the ping.
      await this.#ping();
      if (this.#open > 0) await new Promise<void>((resolve) => (this.#answered = resolve));
      if (!this.#isNew) return;
      this.#isNew = false;
      for (let turn = 0; turn < APPLY_PINGS; turn++) {
        await pause(APPLY_PAUSE_MS);
        if (!(await this.#ping())) return;
      }
    } finally {
      this.#asker = undefined;
      this.#answered = undefined;
    }
  }

  /** Returns false without an answer. The call is sent anyway: on a closed connection it ends as `not_executed`. */
  #ping(): Promise<boolean> {
    return this.#options.ping(PING_MS).then(
      () => true,
      () => false,
    );
  }
}
