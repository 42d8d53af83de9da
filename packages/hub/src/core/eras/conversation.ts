/** A call of a modern client at a server: questions that a legacy server asks meanwhile become results, round by round. */
import { ABILITY_OF, type Abilities } from '../client.ts';
import { PincerError } from '../errors.ts';
import { outcomeUnknown, type Answered, type Outcome } from '../outcome.ts';
import { RPC } from '../protocol.ts';
import type { Asked, Exchange, Question, Running } from '../request.ts';
import { jsonBytes, type ByteText } from '../wire/byte-text.ts';
import { isObject, writeMembers, type Member } from '../wire/members.ts';
import { readInputRequired, writeInputRequired } from './input-required.ts';
import type { Parkable, Parking } from './parking.ts';
import { questionToModern, unreadable, readUrlRequired } from './in-era.ts';
import type { State } from './request-state.ts';

export interface ConversationParts {
  readonly caller: string;
  readonly server: string;
  readonly abilities: () => Abilities;
  readonly parking: Parking;
  /** `requestState` as the client gets it. */
  readonly seal: (state: State) => string;
}

/** Questions of this long belong together: a server may ask several at once. */
const GATHER_MS = 15;

export class Conversation implements Exchange, Running, Parkable {
  readonly #parts: ConversationParts;
  /** Who waits for this round; undefined while the client thinks. */
  #listener: Exchange | undefined;
  #running: Running | undefined;
  #questions: Map<string, Question> | undefined;
  #asked = 0;
  #gathering: NodeJS.Timeout | undefined;
  #outcome: Outcome | undefined;
  #givenUp: string | undefined;

  constructor(parts: ConversationParts, listener: Exchange) {
    this.#parts = parts;
    this.#listener = listener;
  }

  get server(): string {
    return this.#parts.server;
  }

  start(begin: (exchange: Exchange) => Running): void {
    this.#running = begin(this);
    // It may have been given up before it was begun in full.
    if (this.#givenUp !== undefined) this.#running.cancel(this.#givenUp);
  }

  notify(method: string, params: ByteText): void {
    this.#listener?.notify(method, params);
  }

  ask(question: Question): Asked {
    const ability = ABILITY_OF.get(question.method);
    if (ability === undefined || !this.#parts.abilities()[ability]) {
      question.answer({ error: NOT_DECLARED });
      this.#giveUp(missing(ability ?? question.method));
      return NOTHING_ASKED;
    }
    const key = `${ability}_${++this.#asked}`;
    this.#questions ??= new Map();
    this.#questions.set(key, question);
    this.#gathering ??= setTimeout(() => this.#handSafely(), GATHER_MS);
    return { withdraw: () => this.#questions?.delete(key) };
  }

  settle(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    let said: Outcome;
    try {
      said = this.#inModernWords(outcome);
    } catch (error) {
      said = unreadable(error);
    }
    this.#end(said);
  }

  #end(outcome: Outcome): void {
    clearTimeout(this.#gathering);
    this.#outcome = outcome;
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.settle(outcome);
  }

  /** A modern server's own state goes to the client inside of ours; a legacy one may send the person elsewhere first. */
  #inModernWords(outcome: Outcome): Outcome {
    const pages =
      'error' in outcome && this.#parts.abilities().elicitation ? readUrlRequired(outcome.error) : undefined;
    if (pages !== undefined) {
      const result = writeInputRequired(pages, this.#parts.seal({ isPlainRepeat: true }));
      return { kind: 'ok', result, era: 'modern', extra: '' };
    }
    const required =
      'result' in outcome && outcome.era === 'modern' ? readInputRequired(outcome.result) : undefined;
    if (required?.state === undefined) return outcome;
    const requestState = jsonBytes(this.#parts.seal({ upstream: required.state }));
    return { ...(outcome as Answered), result: writeMembers(required.members, { requestState }) };
  }

  /** The client is back, with answers to some of the questions. */
  resume(listener: Exchange, responses: readonly Member[]): void {
    if (this.#outcome !== undefined) return listener.settle(this.#outcome);
    this.#listener = listener;
    for (const { key, raw } of responses) {
      const question = isObject(raw) ? this.#questions?.get(key) : undefined;
      if (question === undefined) continue;
      this.#questions!.delete(key);
      question.answer({ result: raw });
    }
    // What is still missing is asked for again.
    if (this.#questions !== undefined && this.#questions.size > 0) this.#hand();
  }

  cancel(reason: string): void {
    this.#running?.cancel(reason);
  }

  expire(): void {
    for (const question of this.#questions?.values() ?? []) question.answer({ error: NOT_ANSWERED });
    this.#running?.cancel('the client did not come back with answers');
  }

  /** From a timer: nobody else would catch what goes wrong. */
  #handSafely(): void {
    try {
      this.#hand();
    } catch (error) {
      this.#giveUp(PincerError.from(error));
    }
  }

  /** What has been asked so far becomes the result of this round. */
  #hand(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const listener = this.#listener;
    const requests = [...(this.#questions ?? [])].map(([key, { method, params }]) => ({
      key,
      method,
      params: questionToModern(method, params),
    }));
    if (listener === undefined || requests.length === 0) return;
    const parked = this.#parts.parking.park(this.#parts.caller, this);
    if (parked === undefined) return this.#giveUp(TOO_MANY);
    this.#listener = undefined;
    const result = writeInputRequired(requests, this.#parts.seal({ parked }));
    listener.settle({ kind: 'ok', result, era: 'modern', extra: '' });
  }

  #giveUp(reason: PincerError): void {
    if (this.#outcome !== undefined) return;
    // The server had begun.
    this.#end(outcomeUnknown(reason));
    this.#givenUp = reason.message;
    this.#running?.cancel(reason.message);
  }
}

const NOTHING_ASKED: Asked = { withdraw: () => undefined };
const errorOf = (code: number, message: string): ByteText => jsonBytes({ code, message });
const NOT_DECLARED = errorOf(RPC.methodNotFound, 'The client has not declared this capability.');
const NOT_ANSWERED = errorOf(RPC.internalError, 'The client did not answer in time.');

const missing = (ability: string): PincerError =>
  new PincerError('CAPABILITY_MISSING', `The server needs the client's "${ability}" to go on.`, {
    hint: `Declare "${ability}" among the client's capabilities, or use another client.`,
    data: { requiredCapabilities: { [ability]: {} } },
  });

const TOO_MANY = new PincerError('SERVER_BUSY', 'Too many calls of this caller wait for answers.', {
  hint: 'Answer some of them, or raise limits.maxParkedCalls.',
});
