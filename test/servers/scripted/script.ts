/** One server of the fixed exchange, whatever carries it: what it says to a message, and how often it ran what. */
import type { Era } from '../flags.ts';
import {
  DISCOVERED,
  INITIALIZED,
  LEGACY_QUESTION,
  legOf,
  modernQuestion,
  refusalTo,
  resultTo,
  tagOf,
  textResult,
  toldFirst,
  TOOLS,
  valueIn,
  type HubMessage,
  type Leg,
} from './legs.ts';

/** Where the answer to one request goes; `isLast` with the answer itself. */
export type Say = (text: string, isLast: boolean) => void;

export class Script {
  readonly era: Era;
  /** Without anything before the answer, for carriers that have no room for it. */
  readonly isTerse: boolean;
  /** How often each leg has been read as a whole. */
  readonly ran = new Map<Leg, number>();
  /** Set: the rest of a call waits until it is called. */
  hold: ((goOn: () => void) => void) | undefined;
  /** Ids of calls that it has neither answered nor been told to stop. */
  readonly open = new Set<string>();
  /** How often each call has been read as a whole, by its argument `n`. */
  readonly tags = new Map<string, number>();
  /** What it was answered, in the order of arrival. */
  readonly answers: string[] = [];
  readonly #stopped = new Set<string>();
  #finish: ((value: string) => void) | undefined;

  constructor(era: Era, isTerse = false) {
    this.era = era;
    this.isTerse = isTerse;
  }

  times(leg: Leg): number {
    return this.ran.get(leg) ?? 0;
  }

  /** Counts anew. */
  forget(): void {
    this.ran.clear();
    this.tags.clear();
    this.answers.length = 0;
    this.#finish = undefined;
  }

  /** The hub no longer wants this call. Over HTTP that may overtake it. */
  stop(id: string | undefined): void {
    if (id === undefined) return;
    this.open.delete(id);
    this.#stopped.add(id);
  }

  /** False: nothing is said to it. */
  receive(message: HubMessage, say: Say): boolean {
    const { id } = message;
    const leg = legOf(message);
    this.ran.set(leg, this.times(leg) + 1);
    const answer = (text: string): true => {
      say(text, true);
      return true;
    };
    if (leg === 'answer') {
      this.answers.push(valueIn(message));
      this.#finish?.(valueIn(message));
      this.#finish = undefined;
      return false;
    }
    if (message.method === 'notifications/cancelled') this.stop(message.params?.['requestId'] as string);
    if (id === undefined) return false;
    if (leg === 'initialize' && this.era === 'legacy') return answer(resultTo(id, INITIALIZED));
    if (leg === 'discover' && this.era === 'modern') return answer(resultTo(id, DISCOVERED));
    if (leg === 'list') return answer(resultTo(id, this.#inEra(TOOLS)));
    if (leg === 'quick') return answer(this.#result(id, 'quick'));
    if (leg === 'again') return answer(this.#result(id, valueIn(message)));
    if (leg === 'call') return this.#call(id, message, say);
    return answer(refusalTo(id));
  }

  #call(id: string, message: HubMessage, say: Say): boolean {
    const tag = tagOf(message);
    this.tags.set(tag, (this.tags.get(tag) ?? 0) + 1);
    if (!this.#stopped.has(id)) this.open.add(id);
    if (this.isTerse) {
      say(this.#result(id, 'y'), true);
      return true;
    }
    for (const text of toldFirst(message)) say(text, false);
    const ask = (): void => {
      if (this.era === 'modern') {
        this.open.delete(id);
        return say(modernQuestion(id), true);
      }
      this.#finish = (value) => say(this.#result(id, value), true);
      say(LEGACY_QUESTION, false);
    };
    if (this.hold === undefined) ask();
    else this.hold(ask);
    return true;
  }

  #result(id: string, text: string): string {
    this.open.delete(id);
    return resultTo(id, this.#inEra(textResult(text)));
  }

  #inEra(result: string): string {
    return this.era === 'legacy' ? result : result.replace('{', '{"resultType":"complete",');
  }
}
