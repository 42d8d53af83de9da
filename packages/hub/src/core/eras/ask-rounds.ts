/** A legacy client's call at a modern server: asks the client what the server needs, then repeats the call. */
import { ABILITY_OF, type Abilities } from '../client.ts';
import { RPC } from '../protocol.ts';
import type { Answer, Asked, Question } from '../request.ts';
import { jsonBytes, type ByteText } from '../wire/byte-text.ts';
import { writeMembers } from '../wire/members.ts';
import type { InputRequest, InputRequired } from './input-required.ts';
import { questionToLegacy } from './in-era.ts';

export interface AskRoundsParts {
  readonly abilities: Abilities;
  /** How long the client may take for one round. */
  readonly timeoutMs: number;
  ask(question: Question): Asked;
  /** Sends the request again, with these members of `params` instead of the last round's. */
  repeat(members: Readonly<Record<string, ByteText | undefined>>): void;
  /** Ends the call with a whole JSON-RPC error object. */
  fail(error: ByteText): void;
}

/** Stops a server that always asks for more. */
const MAX_ROUNDS = 16;

export class AskRounds {
  readonly #parts: AskRoundsParts;
  #round = 0;
  #open: Asked[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: AskRoundsParts) {
    this.#parts = parts;
  }

  next({ requests, state }: InputRequired): void {
    const round = ++this.#round;
    if (round > MAX_ROUNDS) return this.#parts.fail(TOO_MANY_ROUNDS);
    const answers = new Map<string, ByteText>();
    const goOn = (): void => {
      if (answers.size < requests.length) return;
      clearTimeout(this.#timer);
      this.#open = [];
      const inputResponses = writeMembers([...answers].map(([key, raw]) => ({ key, raw })));
      this.#parts.repeat({
        inputResponses: requests.length > 0 ? inputResponses : undefined,
        requestState: state,
      });
    };
    if (requests.length === 0) return goOn();
    this.#open = [];
    this.#timer = setTimeout(() => this.#end(NOT_ANSWERED), this.#parts.timeoutMs).unref();
    for (const request of requests) {
      // After a failure the remaining questions are not asked.
      if (round !== this.#round) return;
      this.#ask(request, (answer) => {
        if (round !== this.#round || answers.has(request.key)) return;
        const raw = 'result' in answer ? answer.result : resultOfError(request);
        if (raw === undefined) return this.#end((answer as { error: ByteText }).error);
        answers.set(request.key, raw);
        goOn();
      });
    }
  }

  /** The call is no longer wanted. */
  withdraw(reason: string): void {
    this.#round = Infinity;
    clearTimeout(this.#timer);
    for (const asked of this.#open) asked.withdraw(reason);
    this.#open = [];
  }

  #ask({ method, params }: InputRequest, answer: (answer: Answer) => void): void {
    const ability = ABILITY_OF.get(method);
    if (ability === undefined || !this.#parts.abilities[ability])
      return answer({
        error: jsonBytes({ code: RPC.methodNotFound, message: `The client cannot do ${method}.` }),
      });
    this.#open.push(this.#parts.ask({ method, params: questionToLegacy(method, params), answer }));
  }

  #end(error: ByteText): void {
    this.withdraw('another question of the call failed');
    this.#parts.fail(error);
  }
}

/** A person who cannot be asked has not agreed. Other questions have no answer that means no. */
const resultOfError = ({ method }: InputRequest): ByteText | undefined =>
  method === 'elicitation/create' ? '{"action":"cancel"}' : undefined;

const NOT_ANSWERED = jsonBytes({
  code: RPC.internalError,
  message: 'The client did not answer in time.',
});

const TOO_MANY_ROUNDS = jsonBytes({
  code: RPC.internalError,
  message: `The server asked for more input ${MAX_ROUNDS} times in a row.`,
});
