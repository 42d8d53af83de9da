/**
 * What an agent asks its user while it works on an order, asked of whoever has given the order. OpenClaw waits a quarter
 * of an hour for the answer, whoever is there; the connection of orders is told of it, and may answer.
 */
import type { OrderListener, UserAnswers } from '../../backend.ts';
import { deliver } from '../connection/deliver.ts';
import type { Gateway } from '../connection/gateway.ts';
import { isAskedElsewhere } from './asked-elsewhere.ts';
import type { AskingRun } from './asked.ts';
import { followAsked, type FollowedAsked } from './follow-asked.ts';
import { readQuestionList, readQuestionNews, type AskedQuestions } from './questions-read.ts';

export type FollowedQuestions = Pick<FollowedAsked, 'off'>;

/** To be called before the run is ordered, by whoever holds the connection until it has ended. */
export function followQuestions(
  orders: Pick<Gateway, 'connect' | 'comeBack' | 'hold' | 'onEvent'>,
  run: AskingRun,
  answer: OrderListener['answer'] | undefined,
): FollowedQuestions {
  async function settle(asked: AskedQuestions, signal: AbortSignal): Promise<void> {
    const reply = await replyTo(asked, signal);
    if (signal.aborted || reply === undefined) return;
    // What the gateway does not take for an answer is none, and nothing is to wait for another.
    await resolve(asked, reply).catch(() => resolve(asked, SKIPPED));
  }

  const resolve = ({ id }: AskedQuestions, reply: Reply): Promise<void> =>
    deliver(orders, 'question.resolve', { id, ...reply, resolvedBy: 'Pincer' });

  /** Undefined: it is left to others. */
  async function replyTo(asked: AskedQuestions, signal: AbortSignal): Promise<Reply | undefined> {
    const { agentId, questions, isForForms } = asked;
    // A form of MCP is no place for a secret (2025-11-25 "Elicitation", security considerations).
    if (answer === undefined || !isForForms) {
      const isLeft = await isAskedElsewhere(orders, 'question').catch(() => false);
      return isLeft ? undefined : withoutAnswer(asked);
    }
    const said = await answer({ agentId, questions, signal }).catch(() => undefined);
    if (said === 'declined') return SKIPPED;
    return said === undefined ? withoutAnswer(asked) : answered(said);
  }

  const { stayInformed, off } = followAsked(orders, run, {
    readNews: readQuestionNews,
    readOpen: async (socket) => readQuestionList(await socket.request<unknown>('question.list', {})),
    settle,
  });
  // Where there is no connection any more, the run is lost, too.
  void orders
    .connect()
    .then(stayInformed)
    .catch(() => undefined);

  return { off };
}

/** Params of `question.resolve`. */
type Reply = { readonly cancel: true } | { readonly answers: { readonly answers: UserAnswers } };

/** As `Skip` in OpenClaw's own windows: the agent is told to go on as it thinks best. */
const SKIPPED: Reply = { cancel: true };

const answered = (answers: UserAnswers): Reply => ({ answers: { answers } });

/**
 * Skipped, a question leaves the agent to guess. Where it can be told something in words, it is told to ask in its
 * answer instead, which whoever cannot be asked in between can read and reply to. A field of a form, which has no
 * options, would take the words for its value.
 */
function withoutAnswer({ questions, isForForms }: AskedQuestions): Reply {
  const isRead = questions.every(({ options, takesWords }) => takesWords && options.length > 0);
  if (!isForForms || !isRead) return SKIPPED;
  return answered(Object.fromEntries(questions.map(({ id }) => [id, [NOBODY_HAS_ANSWERED]])));
}

export const NOBODY_HAS_ANSWERED =
  '(No answer. Nobody at the client that this message came from has answered the question, and that is no consent to anything. Do what does not depend on it, and put the question into your final answer: a reply can come with the next message.)';
