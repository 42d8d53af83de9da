/** Somebody waits for an order: it hears of progress, is asked what the agent asks, and is answered exactly once. */
import { takesForms } from '../../core/approvals/question.ts';
import { notExecuted, type Outcome } from '../../core/outcome.ts';
import {
  NOTHING_RUNS,
  type Exchange,
  type Question,
  type Running,
  type SourceRequest,
} from '../../core/request.ts';
import { cancelled } from '../outcome.ts';
import type { KeptOrder } from './kept-order.ts';
import { tellProgress } from './progress.ts';

export interface Wait {
  readonly request: SourceRequest;
  readonly exchange: Exchange;
  /** Absent: until the order ends. It rests while the client thinks about a question. */
  readonly patience?: { readonly ms: number; readonly instead: () => Outcome } | undefined;
  /** A question of the agent as this client is to hear it; absent: as it is. */
  readonly phrase?: (question: Question) => Question;
  /** What is said when the order has ended. */
  onEnd(outcome: Outcome): Outcome;
  /** The client does not want it any more, and is answered with the end of the order. Absent: it only gives up waiting. */
  onCancel?(reason: string): void;
}

/** For whom nothing is left to wait. */
export function answerNow(exchange: Exchange, outcome: Outcome): Running {
  exchange.settle(outcome);
  return NOTHING_RUNS;
}

export function waitFor(order: KeptOrder, wait: Wait): Running {
  const { request, exchange, patience, phrase = (question) => question } = wait;
  if (order.outcome !== undefined) return answerNow(exchange, wait.onEnd(order.outcome));
  const canBeAsked = takesForms(request.client.abilities);
  const progress = tellProgress(request, exchange);
  let timer: NodeJS.Timeout | undefined;
  let stopAsking = (): void => undefined;
  let hasSettled = false;
  /** Only the end of the order is waited for. */
  let isCancelled = false;

  function settle(outcome: Outcome): void {
    if (hasSettled) return;
    hasSettled = true;
    clearTimeout(timer);
    progress.stop();
    stopWatching();
    stopAsking();
    exchange.settle(outcome);
  }

  function beginToWait(): void {
    clearTimeout(timer);
    const isAsked = canBeAsked && order.questions.open.size > 0;
    if (patience === undefined || isAsked || hasSettled || isCancelled) return;
    timer = setTimeout(() => settle(patience.instead()), patience.ms);
  }

  const stopWatching = order.watch({
    onProgress: (read) => progress.tell(read),
    onQuestions: beginToWait,
    onEnd: (outcome) => settle(wait.onEnd(outcome)),
  });
  if (canBeAsked) stopAsking = order.questions.askThrough((question) => exchange.ask(phrase(question)));
  if (order.progress !== undefined) progress.tell(order.progress);
  beginToWait();
  return {
    cancel(reason) {
      if (hasSettled) return;
      if (wait.onCancel === undefined) return settle(notExecuted(cancelled(reason)));
      wait.onCancel(reason);
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}
