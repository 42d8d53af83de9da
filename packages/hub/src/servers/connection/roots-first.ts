/**
 * A server that replaces its folders by its client's roots asks for them after `initialized`, and again after each
 * change. Until it has the answer it works with its own folders, or with the roots of the call before. So a call waits
 * until the server has had the chance to ask and has been answered.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startLater, type Asked, type Exchange, type Question, type Running } from '../../core/request.ts';
import { PincerError } from '../../core/errors.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';

export interface RootsFirstOptions {
  /** Each call may come from another client, so the roots are asked for before each. */
  readonly isForOneCall: boolean;
  ping(timeoutMs: number): Promise<unknown>;
  /** Tells the server that it should ask again. */
  tellChanged(): void;
  /** Closes the connection, whose server waits for an answer that does not come. */
  giveUp(reason: PincerError): void;
}

/** A server that takes longer to answer a ping is not waited for. */
const PING_MS = 15_000;
/**
 * A server looks at the folders on its disk before it uses them, and does not say when it has. So it gets this many pings
 * with a pause before each: on a busy machine a ping takes longer, and so does the look. 60 ms in all were too few once.
 */
const APPLY_PINGS = 10;
const APPLY_PAUSE_MS = 25;
/** A longer answer counts as changed each time. */
const MAX_REMEMBERED = 64 * 1024;

const ANSWERED_LATE = new PincerError(
  'SERVER_GONE',
  'The client went away before it said what its roots are.',
);

export class RootsFirst {
  readonly #options: RootsFirstOptions;
  /** What calls wait for; undefined: the server may not know the roots of now. */
  #known: Promise<void> | undefined;
  /** The call whose client is asked where the client cannot be asked outside of calls. */
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

  /** Calls that are kept back. */
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

  /** The client has said that its roots have changed. */
  changed(): void {
    this.#known = undefined;
  }

  /** Asks the client of the waiting call; undefined: no call waits. */
  ask(question: Question): Asked | undefined {
    return this.#asker?.ask(question);
  }

  /** The server asks for roots. */
  questionOpened(): void {
    this.#hasAsked = true;
    this.#open++;
  }

  /** It was answered, or ended without an answer. */
  questionClosed(answer: ByteText | undefined): void {
    this.#open--;
    if (answer === undefined || answer !== this.#answer) this.#isNew = true;
    this.#answer = answer !== undefined && answer.length <= MAX_REMEMBERED ? answer : undefined;
    if (this.#open === 0) this.#answered?.();
  }

  async #learn(exchange: Exchange): Promise<void> {
    this.#asker = exchange;
    try {
      // A server that asks at once does so before it answers what came later.
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

  /** Returns false without an answer. The call is sent all the same: on a closed connection it ends as not executed. */
  #ping(): Promise<boolean> {
    return this.#options.ping(PING_MS).then(
      () => true,
      () => false,
    );
  }
}
