/** Waits for an order on behalf of a request: forwards progress and the agent's questions, and settles the request exactly once. */
import { takesForms } from '../../core/approvals/question.ts';
import { notExecuted, type Outcome } from '../../core/outcome.ts';
import {
  NOTHING_RUNS,
  type Exchange,
  type Question,
  type Running,
  type SourceRequest,
} from '../../core/request.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { findMember, writeMembers } from '../../core/wire/members.ts';
import type { OrderProgress } from '../backend.ts';
import { cancelled } from '../outcome.ts';
import type { KeptOrder } from './kept-orders.ts';

export interface Wait {
  readonly request: SourceRequest;
  readonly exchange: Exchange;
  /** After `ms`, settles with `instead`. Paused while a question is open. Absent: waits until the order ends. */
  readonly timeout?: { readonly ms: number; readonly instead: () => Outcome } | undefined;
  /** Rewrites a question of the agent for this client. */
  readonly phrase?: (question: Question) => Question;
  /** Turns the outcome of the order into that of the request. */
  onEnd(outcome: Outcome): Outcome;
  /** Called when the client cancels; the request is then settled when the order ends. Absent: cancelling only ends the wait. */
  onCancel?(reason: string): void;
}

export function answerNow(exchange: Exchange, outcome: Outcome): Running {
  exchange.settle(outcome);
  return NOTHING_RUNS;
}

export function waitFor(order: KeptOrder, wait: Wait): Running {
  const { request, exchange, timeout, phrase = (question) => question } = wait;
  if (order.outcome !== undefined) return answerNow(exchange, wait.onEnd(order.outcome));
  const canBeAsked = takesForms(request.client.abilities);
  const progress = reportProgress(request, exchange);
  let timer: NodeJS.Timeout | undefined;
  let stopAsking = (): void => undefined;
  let hasSettled = false;
  /** Cancelled: only the end of the order settles the request. */
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
    if (timeout === undefined || isAsked || hasSettled || isCancelled) return;
    timer = setTimeout(() => settle(timeout.instead()), timeout.ms);
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

/** Throttles progress to what a person can read. */
const EVERY_MS = 200;
const MAX_CHARS = 4_000;

interface ProgressReporter {
  tell(read: () => OrderProgress): void;
  stop(): void;
}

/** Sends the text so far as progress, if the caller asked for progress. */
export function reportProgress(
  { meta }: Pick<SourceRequest, 'meta'>,
  exchange: Pick<Exchange, 'notify'>,
): ProgressReporter {
  const progressToken = findMember(meta, 'progressToken');
  if (progressToken === undefined) return { tell: () => undefined, stop: () => undefined };
  let count = 0;
  let latest: (() => OrderProgress) | undefined;
  let last = '';
  let timer: NodeJS.Timeout | undefined;

  function send(): void {
    timer = undefined;
    if (latest === undefined) return;
    const message = latestText(latest(), MAX_CHARS) || 'OpenClaw is working.';
    latest = undefined;
    // Some events change nothing in the message.
    if (message !== last) {
      last = message;
      count++;
      exchange.notify(
        'notifications/progress',
        writeMembers([], { progressToken, progress: `${count}`, message: jsonBytes(message) }),
      );
    }
    timer = setTimeout(send, EVERY_MS).unref();
  }

  return {
    tell(read) {
      latest = read;
      if (timer === undefined) send();
    },
    stop: () => clearTimeout(timer),
  };
}

/** The end of the text so far, and the tool that runs now. */
export function latestText({ text, tool }: OrderProgress, maxChars: number): string {
  const shown = text.length > maxChars ? `…${text.slice(1 - maxChars).toWellFormed()}` : text;
  const doing = tool === undefined ? '' : `[uses ${tool}]`;
  return [shown, doing].filter((part) => part !== '').join('\n');
}
