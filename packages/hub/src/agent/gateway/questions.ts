/**
 * Questions that an agent asks its user while it works on an order: reads them, asks the caller of the order, and
 * returns the answers over the connection of orders. OpenClaw waits 15 minutes for an answer.
 */
import { isRecord, textAt } from '../../lib/record.ts';
import type { OrderListener, UserAnswers, UserOption, UserQuestion } from '../backend.ts';
import {
  type Asked,
  type AskedNews,
  type AskingRun,
  followAsked,
  type FollowedAsked,
  isAskedElsewhere,
} from './follow-asked.ts';
import { deliver, type Gateway } from './gateway.ts';

export type FollowedQuestions = Pick<FollowedAsked, 'off'>;

/** Call it before the run is ordered, and hold the connection until the run has ended. */
export function followQuestions(
  orders: Pick<Gateway, 'connect' | 'reconnect' | 'hold' | 'onEvent'>,
  run: AskingRun,
  answer: OrderListener['answer'] | undefined,
): FollowedQuestions {
  async function settle(asked: AskedQuestions, signal: AbortSignal): Promise<void> {
    const reply = await replyTo(asked, signal);
    if (signal.aborted || reply === undefined) return;
    // If the gateway rejects the answer, skip the question, so that the run does not wait for another one.
    await resolve(asked, reply).catch(() => resolve(asked, SKIPPED));
  }

  const resolve = ({ id }: AskedQuestions, reply: Reply): Promise<void> =>
    deliver(orders, 'question.resolve', { id, ...reply, resolvedBy: 'Pincer' });

  /** Returns undefined to leave the question to OpenClaw's own windows. */
  async function replyTo(asked: AskedQuestions, signal: AbortSignal): Promise<Reply | undefined> {
    const { agentId, questions, isForForms } = asked;
    // Forms must not ask for secrets (MCP 2025-11-25, Elicitation, security considerations).
    if (answer === undefined || !isForForms) {
      const isLeft = await isAskedElsewhere(orders, 'question').catch(() => false);
      return isLeft ? undefined : withoutAnswer(asked);
    }
    const reply = await answer({ agentId, questions, signal }).catch(() => undefined);
    if (reply === 'declined') return SKIPPED;
    return reply === undefined ? withoutAnswer(asked) : answered(reply);
  }

  const { stayInformed, off } = followAsked(orders, run, {
    readNews: readQuestionNews,
    readOpen: async (socket) => readQuestionList(await socket.request<unknown>('question.list', {})),
    settle,
  });
  // Without a connection the run is lost as well, and reported there.
  void orders
    .connect()
    .then(stayInformed)
    .catch(() => undefined);

  return { off };
}

/** Params of `question.resolve`. */
type Reply = { readonly cancel: true } | { readonly answers: { readonly answers: UserAnswers } };

/** Like `Skip` in OpenClaw's own windows: the agent decides by itself. */
const SKIPPED: Reply = { cancel: true };

const answered = (answers: UserAnswers): Reply => ({ answers: { answers } });

/**
 * Skipping makes the agent guess. If the question accepts free text beside its options, the agent is told instead to
 * put the question into its answer. A question without options is a form field and would take that text as its value.
 */
function withoutAnswer({ questions, isForForms }: AskedQuestions): Reply {
  const isRead = questions.every(({ options, takesWords }) => takesWords && options.length > 0);
  if (!isForForms || !isRead) return SKIPPED;
  return answered(Object.fromEntries(questions.map(({ id }) => [id, [NO_ANSWER]])));
}

export const NO_ANSWER =
  '(No answer. The person at the client that sent this message did not answer the question. That is not consent to anything. Do what does not depend on the answer, and repeat the question in your final answer: the reply can come with the next message.)';

/** Up to three questions with one answer for all of them. */
export interface AskedQuestions extends Asked {
  readonly agentId: string | undefined;
  readonly questions: readonly UserQuestion[];
  /** False if it asks for a secret, or has a part that is not understood here. */
  readonly isForForms: boolean;
}

/** Reads `question.requested` and `question.resolved`. */
export function readQuestionNews(event: string, payload: unknown): AskedNews<AskedQuestions> | undefined {
  if (event === 'question.requested') {
    const asked = readAsked(payload);
    return asked && { kind: 'requested', asked };
  }
  if (event !== 'question.resolved' || !isRecord(payload)) return undefined;
  const id = textIn(payload, 'id');
  return id === undefined ? undefined : { kind: 'resolved', id };
}

/** Reads the result of `question.list`. */
export function readQuestionList(list: unknown): readonly AskedQuestions[] {
  const all = isRecord(list) ? list['questions'] : undefined;
  return Array.isArray(all) ? all.flatMap((each) => readAsked(each) ?? []) : [];
}

type Fields = Readonly<Record<string, unknown>>;

function readAsked(payload: unknown): AskedQuestions | undefined {
  const id = isRecord(payload) ? textIn(payload, 'id') : undefined;
  if (!isRecord(payload) || id === undefined) return undefined;
  const all: readonly unknown[] = Array.isArray(payload['questions']) ? payload['questions'] : [];
  const questions = all.flatMap((each) => readQuestion(each) ?? []);
  return {
    id,
    runId: textIn(payload, 'runId'),
    sessionKey: textIn(payload, 'sessionKey'),
    agentId: textIn(payload, 'agentId'),
    questions,
    // A form must show all questions.
    isForForms: questions.length > 0 && questions.length === all.length && !all.some(isSecret),
  };
}

const isSecret = (question: unknown): boolean =>
  isRecord(question) && (question['isSecret'] === true || 'secretStore' in question);

function readQuestion(fields: unknown): UserQuestion | undefined {
  if (!isRecord(fields)) return undefined;
  const id = textIn(fields, 'questionId');
  const text = textIn(fields, 'question');
  if (id === undefined || text === undefined) return undefined;
  const options = optionsIn(fields);
  return {
    id,
    header: textIn(fields, 'header') ?? id,
    text,
    link: textIn(fields, 'url'),
    options,
    takesSeveral: fields['multiSelect'] === true,
    takesWords: options.length === 0 || fields['isOther'] === true,
  };
}

function optionsIn({ options }: Fields): readonly UserOption[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: unknown) => {
    const label = isRecord(option) ? textIn(option, 'label') : undefined;
    return label === undefined ? [] : { label, description: textIn(option as Fields, 'description') };
  });
}

/** A blank text counts as missing. */
const textIn = (fields: Fields, name: string): string | undefined => {
  const text = textAt(fields, name);
  return text?.trim() === '' ? undefined : text;
};
