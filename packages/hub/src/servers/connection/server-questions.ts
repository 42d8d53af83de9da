/** Questions of a server on one connection: finds the client to ask and returns its answer. */
import { ABILITY_OF, type Abilities, type Client } from '../../core/client.ts';
import { RPC } from '../../core/protocol.ts';
import type { Answer, Asked, Question } from '../../core/request.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { NO_SUCH_METHOD, type Message } from '../../core/wire/message.ts';
import { findMember, writeMembers } from '../../core/wire/members.ts';
import type { PendingCall, PendingCalls } from './pending-calls.ts';
import type { RootsFirst } from './roots-first.ts';

export interface ServerQuestionsOptions {
  readonly calls: PendingCalls;
  /** Asked if no call fits the question. */
  readonly owner: Client | undefined;
  /** The capabilities that the server was told. */
  readonly abilities: Abilities;
  readonly timeoutMs: number;
  /** Set if calls wait until the server knows the roots. */
  readonly rootsFirst?: RootsFirst | undefined;
  send(text: ByteText): void;
  /** A server that does not read its input gets no answers. */
  isReady(): boolean;
  callOf(via: string | undefined): PendingCall | undefined;
  /** The server may still work on a cancelled call. */
  mayAskForCancelledCall(): boolean;
}

type Ability = 'sampling' | 'elicitation' | 'roots';

interface OpenQuestion {
  readonly question: Question;
  /** The calls that it may belong to. On a pipe that cannot be known; the deadlines of all of them are suspended. */
  readonly calls: Set<PendingCall>;
  /** Set if the wire does not tell the call: the question may be about the client itself, as roots are. */
  readonly isGuess: boolean;
  /** The call whose client is asked; undefined if the owner of the connection is. */
  asker: PendingCall | undefined;
  readonly timer: NodeJS.Timeout;
  asked: Asked | undefined;
}

/** Limits of a server's own requests: the length of an id, and how many may be open. */
const MAX_FOREIGN_ID = 1_024;
const MAX_OPEN = 64;

export class ServerQuestions {
  readonly #options: ServerQuestionsOptions;
  readonly #open = new Map<ByteText, OpenQuestion>();

  constructor(options: ServerQuestionsOptions) {
    this.#options = options;
  }

  receive(message: Message, id: ByteText, method: string, via: string | undefined): void {
    if (id.length > MAX_FOREIGN_ID) return;
    if (method === 'ping') return this.#reply(id, { result: '{}' });
    // A repeated question is ignored: an answer now would be taken for the pending one.
    if (this.#open.has(id)) return;
    const ability = ABILITY_OF.get(method);
    const call = this.#options.callOf(via);
    if (
      ability === undefined ||
      this.#open.size >= MAX_OPEN ||
      this.#isWithheld(ability, call) ||
      this.#isAmbiguous(ability, via, call)
    )
      return this.#reply(id, { error: NO_SUCH_METHOD });
    const question: Question = {
      method,
      params: writeMembers(message.params),
      answer: (answer) => {
        if (this.#open.get(id) !== open) return;
        this.#reply(id, answer);
        this.#close(id, 'result' in answer ? answer.result : undefined);
      },
    };
    const open: OpenQuestion = {
      question,
      calls: new Set(call === undefined ? [] : via === undefined ? this.#callsLike(call) : [call]),
      isGuess: via === undefined,
      asker: call,
      timer: setTimeout(() => this.#expire(id), this.#options.timeoutMs).unref(),
      asked: undefined,
    };
    this.#open.set(id, open);
    if (ability === 'roots') this.#options.rootsFirst?.questionOpened();
    for (const each of open.calls) this.#options.calls.questionAsked(each);
    this.#ask(open);
  }

  /** Handles `notifications/cancelled` of the server. */
  withdraw(message: Message): void {
    const id = findMember(message.params, 'requestId');
    const open = id === undefined ? undefined : this.#close(id);
    open?.asked?.withdraw('the server no longer asks');
  }

  /** Withdraws the questions of a finished call. */
  forget(call: PendingCall): void {
    for (const [id, open] of this.#open) {
      if (!open.calls.delete(call)) continue;
      this.#options.calls.questionEnded(call);
      if (open.calls.size === 0) {
        // The owner of the connection may still answer.
        if (open.isGuess && this.#options.owner !== undefined) open.asker = undefined;
        else this.#abandon(id, 'the call has ended');
      } else if (open.asker === call) this.#askOn(open);
    }
  }

  forgetAll(): void {
    for (const id of this.#open.keys()) this.#abandon(id, 'the server is gone');
  }

  #ask(open: OpenQuestion): void {
    const { asker, question } = open;
    const asked = asker === undefined ? this.#askOutsideOfCalls(question) : asker.exchange.ask(question);
    if (asked === undefined) question.answer({ error: NO_SUCH_METHOD });
    open.asked = asked;
  }

  /** Before a call is sent, its client may be reachable only in the answer to that call. */
  #askOutsideOfCalls(question: Question): Asked | undefined {
    const { owner, rootsFirst } = this.#options;
    const asked = owner?.ask(question);
    return asked ?? (question.method === 'roots/list' ? rootsFirst?.ask(question) : undefined);
  }

  /** Moves the question to another call. A legacy client already has it; a modern one gets it in that call's answer. */
  #askOn(open: OpenQuestion): void {
    const isInAnswer = open.asker!.request.era === 'modern';
    [open.asker] = open.calls;
    if (isInAnswer) this.#ask(open);
  }

  /**
   * On a pipe, a question that fits several calls of a caller is refused: they may come from different clients, and a
   * client that cannot answer would lose its call. The owner of the connection is asked anyway, whichever call it is
   * about.
   */
  #isAmbiguous(ability: Ability, via: string | undefined, call: PendingCall | undefined): boolean {
    const { owner, mayAskForCancelledCall } = this.#options;
    if (via !== undefined || call === undefined) return false;
    if (owner !== undefined && call.request.client.abilities[ability]) return false;
    return this.#callsLike(call).length > 1 || mayAskForCancelledCall();
  }

  /** Sent calls of the same caller. */
  #callsLike({ request: { caller } }: PendingCall): PendingCall[] {
    return [...this.#options.calls].filter(
      ({ held, request }) => held === undefined && request.caller.id === caller.id,
    );
  }

  /**
   * The client has the ability, but the configuration withholds it from the server. If the client of a call lacks it,
   * asking through the call reports that.
   */
  #isWithheld(ability: Ability, call: PendingCall | undefined): boolean {
    const { abilities } = this.#options;
    return !abilities[ability] && (call === undefined || call.request.client.abilities[ability]);
  }

  #abandon(id: ByteText, why: string): void {
    this.#close(id)?.asked?.withdraw(why);
  }

  #expire(id: ByteText): void {
    this.#reply(id, { error: NOT_ANSWERED });
    this.#abandon(id, 'it was not answered in time');
  }

  #close(id: ByteText, answer?: ByteText): OpenQuestion | undefined {
    const open = this.#open.get(id);
    if (open === undefined) return undefined;
    this.#open.delete(id);
    if (open.question.method === 'roots/list') this.#options.rootsFirst?.questionClosed(answer);
    clearTimeout(open.timer);
    for (const call of open.calls) this.#options.calls.questionEnded(call);
    return open;
  }

  #reply(id: ByteText, answer: Answer): void {
    if (!this.#options.isReady()) return;
    const body = 'result' in answer ? `"result":${answer.result}` : `"error":${answer.error}`;
    this.#options.send(`{"jsonrpc":"2.0","id":${id},${body}}`);
  }
}
const NOT_ANSWERED: ByteText = jsonBytes({
  code: RPC.internalError,
  message: 'The client did not answer in time.',
});
