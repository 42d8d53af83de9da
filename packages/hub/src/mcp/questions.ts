/** Questions of servers to one client: sent under the hub's own ids and matched to the client's answers. */
import { RPC } from '../core/protocol.ts';
import type { Answer, Asked, Question } from '../core/request.ts';
import { jsonBytes, quoted, type ByteText } from '../core/wire/byte-text.ts';
import { plainString, type Message } from '../core/wire/message.ts';
import { notificationText } from './reply.ts';

export class Questions {
  readonly #max: number;
  readonly #open = new Map<string, Question>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns undefined if `send` did not reach the client. */
  ask(question: Question, send: (text: ByteText) => boolean): Asked | undefined {
    if (this.#open.size >= this.#max) return refuse(question, TOO_MANY);
    const id = crypto.randomUUID();
    this.#open.set(id, question);
    const { method, params } = question;
    if (!send(`{"jsonrpc":"2.0","id":"${id}","method":${quoted(method)},"params":${params}}`)) {
      this.#open.delete(id);
      return undefined;
    }
    return {
      withdraw: (reason) => {
        if (this.#open.delete(id)) send(cancelText(id, reason));
      },
    };
  }

  /** Returns whether the message answers an open question. */
  answer({ id, result, error }: Message): boolean {
    const question = id?.startsWith('"') ? this.#take(plainString(id)) : undefined;
    if (question === undefined) return false;
    question.answer(result === undefined ? { error: error! } : { result });
    return true;
  }

  /** Answers all open questions with an error. */
  failAll(reason: string): void {
    const answer = unreachable(reason);
    for (const id of this.#open.keys()) this.#take(id)?.answer(answer);
  }

  #take(id: string): Question | undefined {
    const question = this.#open.get(id);
    this.#open.delete(id);
    return question;
  }
}

const unreachable = (message: string): Answer => ({ error: jsonBytes({ code: RPC.internalError, message }) });

const TOO_MANY = unreachable('The client has too many unanswered questions.');
const OUT_OF_REACH = unreachable('The client cannot be reached.');

/** Answers in place of an unreachable client. */
export const refuseQuestion = (question: Question): Asked => refuse(question, OUT_OF_REACH);

const ASKED_NOTHING: Asked = { withdraw: () => undefined };

function refuse(question: Question, answer: Answer): Asked {
  question.answer(answer);
  return ASKED_NOTHING;
}

const cancelText = (id: string, reason: string): ByteText =>
  notificationText('notifications/cancelled', `{"requestId":"${id}","reason":${quoted(reason)}}`);
