/** `tasks/get`, `tasks/result`, `tasks/update` and `tasks/cancel`, each in the era of whoever asks. */
import { readResponses } from '../../core/eras/input-required.ts';
import { PincerError } from '../../core/errors.ts';
import { notExecuted, type Outcome } from '../../core/outcome.ts';
import { RPC } from '../../core/protocol.ts';
import type { Exchange, Running, SourceRequest } from '../../core/request.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { findMember, isObject } from '../../core/wire/members.ts';
import { answered } from '../outcome.ts';
import type { KeptOrder } from './kept-order.ts';
import { finalOutcome, getTaskResult, related } from './task-result.ts';
import type { Tasks } from './tasks.ts';
import { answerNow, waitFor } from './wait-for.ts';

type Perform = (order: KeptOrder, request: SourceRequest, exchange: Exchange) => Running;

const METHODS: ReadonlyMap<string, Perform> = new Map([
  ['tasks/get', atOnce((order, { era }) => answered(getTaskResult(order, era), era))],
  ['tasks/result', waitForResult],
  ['tasks/update', atOnce(update)],
  ['tasks/cancel', atOnce(cancel)],
]);

/** Undefined: it is another method. */
export function answerTaskMethod(
  tasks: Tasks,
  request: SourceRequest,
  exchange: Exchange,
): Running | undefined {
  const { method, name: id = '', caller } = request;
  const perform = METHODS.get(method);
  if (perform === undefined) return undefined;
  const order = tasks.find(caller.id, id);
  return order === undefined
    ? answerNow(exchange, notExecuted(unknownTask(id)))
    : perform(order, request, exchange);
}

function atOnce(answer: (order: KeptOrder, request: SourceRequest) => Outcome): Perform {
  return (order, request, exchange) => answerNow(exchange, answer(order, request));
}

/** 2025-11-25: it comes when the task has ended, and what the agent asks meanwhile comes on the same way. */
function waitForResult(order: KeptOrder, request: SourceRequest, exchange: Exchange): Running {
  return waitFor(order, {
    request,
    exchange,
    phrase: ({ method, params, answer }) => ({ method, params: related(params, order.id), answer }),
    onEnd: (outcome) => finalOutcome(order, outcome),
  });
}

/** 2025-11-25 refuses to cancel what has ended. 2026-07-28 says yes to everything, and the status shows what came of it. */
function cancel(order: KeptOrder, { era }: SourceRequest): Outcome {
  const isStopping = order.cancel('the task was cancelled');
  if (era === 'modern') return ACKNOWLEDGED;
  return isStopping ? answered(getTaskResult(order, era), era) : HAS_ENDED;
}

function update({ questions }: KeptOrder, { params }: SourceRequest): Outcome {
  const responses = readResponses(findMember(params, 'inputResponses'));
  if (responses === undefined) return notExecuted(ANSWERED_TWICE);
  for (const { key, raw } of responses) if (isObject(raw)) questions.answer(key, { result: raw });
  return ACKNOWLEDGED;
}

const ACKNOWLEDGED = answered('{"resultType":"complete"}', 'modern');

const HAS_ENDED: Outcome = {
  kind: 'tool_error',
  error: jsonBytes({ code: RPC.invalidParams, message: 'The task has ended: it cannot be cancelled.' }),
  extra: '',
};

const ANSWERED_TWICE = new PincerError(
  'ARGUMENT_INVALID',
  'A question is answered twice in "inputResponses".',
  { hint: 'Send the request again with one answer to each question.' },
);

const unknownTask = (id: string): PincerError =>
  new PincerError('TASK_UNKNOWN', `Unknown task: ${id}`, {
    hint: 'An order is kept for limits.orderTtlMs after it has ended, and not when Pincer is started anew.',
  });
