/** Calls that may take long, and what is asked about them afterwards: the one way from the source to its orders. */
import { PincerError } from '../../../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../../core/outcome.ts';
import type { Caller } from '../../../core/caller.ts';
import type { Exchange, Running, SourceRequest } from '../../../core/request.ts';
import { findMember, isObject } from '../../../core/wire/members.ts';
import { answered, cancelled, refused, toolText } from '../outcome.ts';
import type { KeptOrder, Work } from './kept-order.ts';
import { answerStatusTool } from './status-tool-answer.ts';
import { stillWorking } from './status-tool-text.ts';
import { answerTaskMethod } from './task-methods.ts';
import { taskResult } from './task-result.ts';
import type { Tasks } from './tasks.ts';
import { tellLater } from './tell-later.ts';
import { answerNow, waitFor, type Wait } from './wait-for.ts';

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
