import type { Outcome } from '../../core/outcome.ts';
import type { Era } from '../../core/protocol.ts';
import type { Exchange, Running } from '../../core/request.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { outcomeText, type Reply } from './reply.ts';

/** The front's end of one call: its notifications and its outcome, in the words of the client. */
export class FrontExchange implements Exchange {
  readonly #id: ByteText;
  readonly #era: Era;
  readonly #reply: Reply;
  readonly #running: Map<ByteText, Running>;
  #hasEnded = false;

  constructor(id: ByteText, era: Era, reply: Reply, running: Map<ByteText, Running>) {
    this.#id = id;
    this.#era = era;
    this.#reply = reply;
    this.#running = running;
  }

  /** Remembers the call under the client's id; a call may have ended before it was started in full. */
  track(running: Running): Running | undefined {
    if (this.#hasEnded) return undefined;
    this.#running.set(this.#id, running);
    return running;
  }

  notify(method: string, params: ByteText): void {
    this.#reply.notify(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`);
  }

  settle(outcome: Outcome): void {
    this.#hasEnded = true;
    this.#running.delete(this.#id);
    const { text, status } = outcomeText(this.#id, outcome, this.#era);
    this.#reply.answer(text, status);
  }
}
