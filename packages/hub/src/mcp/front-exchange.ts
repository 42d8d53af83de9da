import type { Outcome } from '../core/outcome.ts';
import type { Asked, CallerExchange, Question, Running } from '../core/request.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import type { Sender } from './dispatch.ts';
import { refuseQuestion } from './questions.ts';
import { outcomeText, type Failures } from './outcome-text.ts';
import { notificationText, type Reply } from './reply.ts';

/** The front's end of one call: its notifications, questions and its outcome, in the words of the client. */
export class FrontExchange implements CallerExchange {
  readonly #id: ByteText;
  readonly #sender: Sender;
  readonly #reply: Reply;
  readonly #failures: Failures | undefined;
  #hasEnded = false;

  constructor(id: ByteText, sender: Sender, reply: Reply, failures = sender.failures) {
    this.#id = id;
    this.#sender = sender;
    this.#reply = reply;
    this.#failures = failures;
  }

  /** Remembers the call under the client's id; a call may have ended before it was started in full. */
  track(running: Running): Running | undefined {
    if (this.#hasEnded) return undefined;
    this.#sender.running.set(this.#id, running);
    return running;
  }

  notify(method: string, params: ByteText): void {
    this.#reply.notify(notificationText(method, params));
  }

  /** On the stream of this answer, so that the client knows what it is about; else wherever the client listens. */
  ask(question: Question): Asked {
    return this.#sender.legacy?.ask(question, this.#reply) ?? refuseQuestion(question);
  }

  pause(): void {
    this.#reply.pause();
  }

  goOn(): boolean {
    return this.#reply.goOn();
  }

  settle(outcome: Outcome): void {
    this.#hasEnded = true;
    this.#sender.running.delete(this.#id);
    const { text, status, pieces } = outcomeText(this.#id, outcome, this.#sender.era, this.#failures);
    this.#reply.answer(text, status, pieces);
  }
}
