/** A modern client's call at any server. Questions of a legacy server become results, round by round. */
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
  /** Makes the `requestState` for the client. */
  readonly seal: (state: State) => string;
}

/** Questions within this time form one round: a server may ask several at once. */
const GATHER_MS = 15;

export class Conversation implements Exchange, Running, Parkable {
  readonly #parts: ConversationParts;
  /** The exchange of the current round; undefined between rounds. */
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
    // It may have been given up while it was starting.
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
    this.#gathering ??= setTimeout(() => this.#sendRoundSafely(), GATHER_MS);
    return { withdraw: () => this.#questions?.delete(key) };
  }

  settle(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    let settled: Outcome;
    try {
      settled = this.#inModernTerms(outcome);
    } catch (error) {
      settled = unreadable(error);
    }
    this.#end(settled);
  }

  #end(outcome: Outcome): void {
    clearTimeout(this.#gathering);
    this.#outcome = outcome;
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.settle(outcome);
  }

  /** Seals a modern server's state into ours, and turns a legacy server's request for a web page into a question. */
  #inModernTerms(outcome: Outcome): Outcome {
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

  /** The client returns with answers to some of the questions. */
  resume(listener: Exchange, responses: readonly Member[]): void {
    if (this.#outcome !== undefined) return listener.settle(this.#outcome);
    this.#listener = listener;
    for (const { key, raw } of responses) {
      const question = isObject(raw) ? this.#questions?.get(key) : undefined;
      if (question === undefined) continue;
      this.#questions!.delete(key);
      question.answer({ result: raw });
    }
    // Unanswered questions are asked again.
    if (this.#questions !== undefined && this.#questions.size > 0) this.#sendRound();
  }

  cancel(reason: string): void {
    this.#running?.cancel(reason);
  }

  expire(): void {
    for (const question of this.#questions?.values() ?? []) question.answer({ error: NOT_ANSWERED });
    this.#running?.cancel('the client did not come back with answers');
  }

  /** Called from a timer, where no caller would catch an error. */
  #sendRoundSafely(): void {
    try {
      this.#sendRound();
    } catch (error) {
      this.#giveUp(PincerError.from(error));
    }
  }

  /** Sends the open questions as the result of this round. */
  #sendRound(): void {
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
    // The server had already started.
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
