/** Calls that may take long, and what is asked about them afterwards: the one way from the source to its orders. */
import { PincerError } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import type { Caller } from '../../core/caller.ts';
import type { Exchange, Running, SourceRequest } from '../../core/request.ts';
import { findMember, isObject } from '../../core/wire/members.ts';
import { answered, cancelled, refused, toolText, toolFailure } from '../outcome.ts';
import type { KeptOrder, Work } from './kept-order.ts';
import { answerTaskMethod } from './task-methods.ts';
import { taskResult, legacyTask, related } from './task-result.ts';
import type { Tasks } from './tasks.ts';
import { answerNow, waitFor, type Wait } from './wait-for.ts';
import { clientOf } from '../../core/call/task-ids.ts';
import { detached, parseBytes } from '../../core/wire/byte-text.ts';
import { tellProgress } from './progress.ts';
import { firstFault } from '../tool-arguments.ts';
import { statusToolSchemas } from './status-tool.ts';
import { lastSaid } from './said.ts';

export interface TaskRequestsParts {
  readonly tasks: Tasks;
  /** How long a client is expected to wait. */
  readonly patienceMs: number;
  /** Whether a caller without tasks can come back for an answer, by the settings of this moment. */
  hasStatusTool(caller: Caller): boolean;
}

export interface TaskRequests {
  /** Runs the work, once, and answers the call: with its outcome, or with word of where that can be fetched. */
  start(request: SourceRequest, work: Work, exchange: Exchange): Running;
  /** Answers what is asked about an order. Undefined, and nothing has happened: the request is about something else. */
  answer(request: SourceRequest, exchange: Exchange): Running | undefined;
}

export function createTaskRequests(parts: TaskRequestsParts): TaskRequests {
  const { tasks, patienceMs } = parts;

  /** What a client is told that has waited long enough; undefined: it can only wait. */
  function patienceFor(order: KeptOrder, { era, client, caller }: SourceRequest): Wait['patience'] {
    if (era === 'modern' && client.abilities.tasks)
      return { ms: patienceMs, instead: () => answered(taskResult(order, 'modern'), 'modern') };
    if (!parts.hasStatusTool(caller)) return undefined;
    return { ms: patienceMs, instead: () => toolText(stillWorking(order)) };
  }

  function waitForCall(order: KeptOrder, request: SourceRequest, exchange: Exchange): Running {
    let cancelled: string | undefined;
    return waitFor(order, {
      request,
      exchange,
      patience: patienceFor(order, request),
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
        ? answerStatusTool({ tasks, patienceMs }, request, exchange)
        : answerTaskMethod(tasks, request, exchange),
  };
}

/** 2025-11-25: the client decides. In the modern era the member means nothing. */
function asksForTask({ era, params }: SourceRequest): boolean {
  const task = findMember(params, 'task');
  return era === 'legacy' && task !== undefined && isObject(task);
}

/** What became of a call that its caller no longer wants: an answer that came all the same is one. */
function withdrawn(outcome: Outcome, reason: string): Outcome {
  if (outcome.kind === 'ok') return outcome;
  const why = cancelled(reason);
  return outcome.kind === 'not_executed' ? notExecuted(why) : outcomeUnknown(why);
}

/** Tells a legacy client of a task between its requests: its progress token is good for as long as the task runs. */
function tellLater(
  order: KeptOrder,
  { client: own, tasks, meta }: Pick<SourceRequest, 'client' | 'tasks' | 'meta'>,
): void {
  const client = clientOf({ client: own, tasks });
  const tellStatus = (): void => client.notify('notifications/tasks/status', legacyTask(order));
  const progress = tellProgress(
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

interface StatusToolParts {
  readonly tasks: Tasks;
  /** How long a client is expected to wait. */
  readonly patienceMs: number;
}

/** What `order_status` and `order_stop` are answered with. Undefined: it is another tool. */
function answerStatusTool(
  { tasks, patienceMs }: StatusToolParts,
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
    patience: {
      ms: Math.min(waitMs ?? patienceMs, patienceMs),
      instead: () => toolText(stillWorking(order)),
    },
    onEnd: (outcome) => outcome,
  });
}

/** It has ended when this is answered, or is given up; what it had to say is kept like any answer. */
function stop(order: KeptOrder, request: SourceRequest, exchange: Exchange): Running {
  const said = saidIn(order);
  if (order.outcome === undefined) order.cancel('the order was stopped by its caller');
  return waitFor(order, {
    request,
    exchange,
    onEnd: () => toolText(order.isCancelled ? stopped(said) : hasEnded(order)),
  });
}

const MAX_SAID_CHARS = 16_000;

/** What a model reads about an order that it has to come back for. */
function stillWorking(order: KeptOrder): string {
  const said = saidIn(order);
  return paragraphs(
    order.isCancelled
      ? 'OpenClaw is stopping its work on this order.'
      : 'OpenClaw is still working on this order.',
    order.questions.open.size > 0 ? 'It waits for the answer to a question. order_status asks it.' : '',
    said === '' ? '' : `So far it has said:\n${said}`,
    `Call order_status with ${JSON.stringify({ orderId: order.id })} to get the answer. Do not send the message again: the order is not lost.`,
  );
}

const stopped = (said: string): string =>
  paragraphs('OpenClaw has stopped its work on this order.', said === '' ? '' : `It had said:\n${said}`);

const hasEnded = ({ id }: KeptOrder): string =>
  `OpenClaw had ended its work on this order before. Call order_status with ${JSON.stringify({ orderId: id })} to get the answer.`;

const noSuchOrder = (id: string): string =>
  `There is no order ${JSON.stringify(id.slice(0, 100))}. Its id may be mistyped, or its answer is no longer kept. What became of it, OpenClaw may say if you ask with the same sessionKey.`;

const saidIn = ({ progress }: KeptOrder): string =>
  progress === undefined ? '' : lastSaid(progress(), MAX_SAID_CHARS);

const paragraphs = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');
