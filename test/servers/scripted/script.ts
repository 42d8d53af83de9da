/** One server of the fixed exchange, on any transport: its answers, and how often each leg ran. */
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
  messagesBefore,
  TOOLS,
  valueIn,
  type HubMessage,
  type Leg,
} from './legs.ts';

/** Sends a message for one request; `isLast` marks the answer itself. */
export type Say = (text: string, isLast: boolean) => void;

export class Script {
  readonly era: Era;
  /** Sends nothing before the answer, for transports that cannot carry it. */
  readonly isTerse: boolean;
  /** How often each leg was read completely. */
  readonly ran = new Map<Leg, number>();
  /** If set, the rest of a call waits until this function calls `goOn`. */
  hold: ((goOn: () => void) => void) | undefined;
  /** Ids of calls that were neither answered nor cancelled. */
  readonly open = new Set<string>();
  /** How often each call was read completely, by its argument `n`. */
  readonly tags = new Map<string, number>();
  /** The answers it received, in order. */
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

  /** Resets all counts. */
  forget(): void {
    this.ran.clear();
    this.tags.clear();
    this.answers.length = 0;
    this.#finish = undefined;
  }

  /** The hub cancelled this call. Over HTTP the cancellation may arrive before the call. */
  stop(id: string | undefined): void {
    if (id === undefined) return;
    this.open.delete(id);
    this.#stopped.add(id);
  }

  /** Returns false if the message gets no response. */
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
    for (const text of messagesBefore(message)) say(text, false);
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
