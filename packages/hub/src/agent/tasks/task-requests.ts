/** Starts orders, and answers requests about them: by a task, or by the tools `order_status` and `order_stop`. */
import { clientOf } from '../../core/call/task-ids.ts';
import type { Caller } from '../../core/caller.ts';
import { PincerError } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import type { Exchange, Running, SourceRequest } from '../../core/request.ts';
import { detached, parseBytes } from '../../core/wire/byte-text.ts';
import { findMember, isObject } from '../../core/wire/members.ts';
import { answered, cancelled, refused, toolFailure, toolText } from '../outcome.ts';
import { firstFault, statusToolSchemas } from '../tools.ts';
import type { KeptOrder, Tasks, Work } from './kept-orders.ts';
import { answerTaskMethod, legacyTask, related, taskResult } from './task-methods.ts';
import { answerNow, latestText, reportProgress, waitFor, type Wait } from './wait-for.ts';

interface TaskRequestsParts {
  readonly tasks: Tasks;
  /** How long a client waits before it is told to ask again later. */
  readonly maxWaitMs: number;
  /** Whether this caller may use `order_status`, by the current settings. */
  hasStatusTool(caller: Caller): boolean;
}

interface TaskRequests {
  /** Runs the work once, and settles the call with its outcome, or with how to fetch it. */
  start(request: SourceRequest, work: Work, exchange: Exchange): Running;
  /** Answers a request about an order. Returns undefined if the request is about something else. */
  answer(request: SourceRequest, exchange: Exchange): Running | undefined;
}

export function createTaskRequests(parts: TaskRequestsParts): TaskRequests {
  const { tasks, maxWaitMs } = parts;

  /** The response after `maxWaitMs`; undefined if the client cannot ask again later. */
  function timeoutFor(order: KeptOrder, { era, client, caller }: SourceRequest): Wait['timeout'] {
    if (era === 'modern' && client.abilities.tasks)
      return { ms: maxWaitMs, instead: () => answered(taskResult(order, 'modern'), 'modern') };
    if (!parts.hasStatusTool(caller)) return undefined;
    return { ms: maxWaitMs, instead: () => toolText(stillWorking(order)) };
  }

  function waitForCall(order: KeptOrder, request: SourceRequest, exchange: Exchange): Running {
    let cancelled: string | undefined;
    return waitFor(order, {
      request,
      exchange,
      timeout: timeoutFor(order, request),
      onEnd(outcome) {
        tasks.forget(order);
        return cancelled === undefined ? outcome : withdrawn(outcome, cancelled);
      },
      onCancel(reason) {
        cancelled = reason;
        order.cancel(reason);
      },
    });
  }

  return {
    start(request, work, exchange) {
      let order: KeptOrder;
      try {
        order = tasks.begin(request.caller.id, work);
      } catch (error) {
        return answerNow(exchange, refused(PincerError.from(error)));
      }
      if (!asksForTask(request)) return waitForCall(order, request, exchange);
      tellLater(order, request);
      return answerNow(exchange, answered(taskResult(order, 'legacy'), 'legacy'));
    },
    answer: (request, exchange) =>
      request.method === 'tools/call'
        ? answerStatusTool({ tasks, maxWaitMs }, request, exchange)
        : answerTaskMethod(tasks, request, exchange),
  };
}

/** 2025-11-25: the client asks for a task. In the modern era the member has no meaning. */
function asksForTask({ era, params }: SourceRequest): boolean {
  const task = findMember(params, 'task');
  return era === 'legacy' && task !== undefined && isObject(task);
}

/** The outcome of a cancelled call. A late answer still counts. */
function withdrawn(outcome: Outcome, reason: string): Outcome {
  if (outcome.kind === 'ok') return outcome;
  const why = cancelled(reason);
  return outcome.kind === 'not_executed' ? notExecuted(why) : outcomeUnknown(why);
}

/** Notifies a legacy client between its requests. Its progress token is valid while the task runs. */
function tellLater(
  order: KeptOrder,
  { client: own, tasks, meta }: Pick<SourceRequest, 'client' | 'tasks' | 'meta'>,
): void {
  const client = clientOf({ client: own, tasks });
  const tellStatus = (): void => client.notify('notifications/tasks/status', legacyTask(order));
  const progress = reportProgress(
    { meta: meta.map(({ key, raw }) => ({ key, raw: detached(raw) })) },
    { notify: (method, params) => client.notify(method, related(params, order.id)) },
  );
  order.watch({
    onProgress: (read) => progress.tell(read),
    onQuestions: tellStatus,
    onEnd() {
      progress.stop();
      tellStatus();
    },
  });
}

/** Answers `order_status` and `order_stop`. Returns undefined if it is another tool. */
function answerStatusTool(
  { tasks, maxWaitMs }: Pick<TaskRequestsParts, 'tasks' | 'maxWaitMs'>,
  request: SourceRequest,
  exchange: Exchange,
): Running | undefined {
  const { name, params, caller } = request;
  if (name !== 'order_status' && name !== 'order_stop') return undefined;
  const raw = findMember(params, 'arguments');
  const parsed = statusToolSchemas[name].safeParse(raw === undefined ? {} : parseBytes(raw));
  if (!parsed.success) return answerNow(exchange, toolFailure(firstFault(parsed.error)));
  const { orderId, waitMs }: { orderId: string; waitMs?: number | undefined } = parsed.data;
  const order = tasks.find(caller.id, orderId);
  if (order === undefined) return answerNow(exchange, toolFailure(noSuchOrder(orderId)));
  if (name === 'order_stop') return stop(order, request, exchange);
  return waitFor(order, {
    request,
    exchange,
    timeout: {
      ms: Math.min(waitMs ?? maxWaitMs, maxWaitMs),
      instead: () => toolText(stillWorking(order)),
    },
    onEnd: (outcome) => outcome,
  });
}

/** Answers when the order has ended, or was given up. Its text is kept like any answer. */
function stop(order: KeptOrder, request: SourceRequest, exchange: Exchange): Running {
  const text = textSoFar(order);
  if (order.outcome === undefined) order.cancel('the order was stopped by its caller');
  return waitFor(order, {
    request,
    exchange,
    onEnd: () => toolText(order.isCancelled ? stopped(text) : hasEnded(order)),
  });
}

const MAX_TEXT_CHARS = 16_000;

/** Tells a model how to get the answer later. */
function stillWorking(order: KeptOrder): string {
  const text = textSoFar(order);
  return paragraphs(
    order.isCancelled
      ? 'OpenClaw is stopping its work on this order.'
      : 'OpenClaw is still working on this order.',
    order.questions.open.size > 0
      ? 'It waits for an answer to a question. order_status shows the question.'
      : '',
    text === '' ? '' : `Its text so far:\n${text}`,
    `Call order_status with ${JSON.stringify({ orderId: order.id })} to get the answer. Do not send the message again: the order is not lost.`,
  );
}

const stopped = (text: string): string =>
  paragraphs(
    'OpenClaw has stopped its work on this order.',
    text === '' ? '' : `Its text until then:\n${text}`,
  );

const hasEnded = ({ id }: KeptOrder): string =>
  `OpenClaw had already ended its work on this order. Call order_status with ${JSON.stringify({ orderId: id })} to get the answer.`;

const noSuchOrder = (id: string): string =>
  `Unknown order: ${JSON.stringify(id.slice(0, 100))}. The id may be mistyped, or the answer is no longer kept. To learn the result, ask OpenClaw with the same sessionKey.`;

const textSoFar = ({ progress }: KeptOrder): string =>
  progress === undefined ? '' : latestText(progress(), MAX_TEXT_CHARS);

const paragraphs = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');
