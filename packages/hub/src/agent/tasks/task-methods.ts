/**
 * The methods `tasks/get`, `tasks/result`, `tasks/update` and `tasks/cancel`, and an order as a task, in both eras: the
 * specification 2025-11-25, and the extension `io.modelcontextprotocol/tasks` of 2026-07-28.
 */
import { RELATED_TASK_KEY } from '../../core/call/task-ids.ts';
import { readResponses } from '../../core/eras/input-required.ts';
import { questionToModern, resultInEra } from '../../core/eras/in-era.ts';
import { PincerError } from '../../core/errors.ts';
import { notExecuted, type Outcome } from '../../core/outcome.ts';
import { RPC, type Era } from '../../core/protocol.ts';
import type { Exchange, Running, SourceRequest } from '../../core/request.ts';
import { jsonBytes, quoted, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, isObject, readMembers, writeMembers } from '../../core/wire/members.ts';
import { answered } from '../outcome.ts';
import type { KeptOrder, Tasks } from './kept-orders.ts';
import { answerNow, latestText, waitFor } from './wait-for.ts';

type Perform = (order: KeptOrder, request: SourceRequest, exchange: Exchange) => Running;

const METHODS: ReadonlyMap<string, Perform> = new Map([
  ['tasks/get', atOnce((order, { era }) => answered(getTaskResult(order, era), era))],
  ['tasks/result', waitForResult],
  ['tasks/update', atOnce(update)],
  ['tasks/cancel', atOnce(cancel)],
]);

/** Returns undefined if it is another method. */
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

/** 2025-11-25: waits for the end of the task, and asks the agent's questions meanwhile. */
function waitForResult(order: KeptOrder, request: SourceRequest, exchange: Exchange): Running {
  return waitFor(order, {
    request,
    exchange,
    phrase: ({ method, params, answer }) => ({ method, params: related(params, order.id), answer }),
    onEnd: (outcome) => finalOutcome(order, outcome),
  });
}

/** 2025-11-25 refuses to cancel a task that has ended. 2026-07-28 always acknowledges. */
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
    hint: 'An order is kept for limits.orderTtlMs after it has ended. A restart of Pincer drops all orders.',
  });

type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
type Members = Readonly<Record<string, ByteText | undefined>>;

/** How often a client is advised to ask. */
const POLL_MS = 1_000;
const MAX_STATUS_CHARS = 1_000;

/** The result of a call that became a task. */
export const taskResult = (order: KeptOrder, era: Era): ByteText =>
  era === 'legacy'
    ? `{"task":${legacyTask(order)}}`
    : writeMembers([], { resultType: '"task"', ...describe(order, 'modern') });

/** The result of `tasks/get`. */
export const getTaskResult = (order: KeptOrder, era: Era): ByteText =>
  era === 'legacy'
    ? legacyTask(order)
    : writeMembers([], { resultType: '"complete"', ...describe(order, 'modern'), ...detailOf(order) });

/** A task in the legacy era, also the params of `notifications/tasks/status`. */
export const legacyTask = (order: KeptOrder): ByteText => writeMembers([], describe(order, 'legacy'));

/** The outcome of `tasks/result`: that of the call, with the id of its task. */
export function finalOutcome(order: KeptOrder, outcome: Outcome): Outcome {
  if ('result' in outcome)
    return { ...outcome, result: related(outcome.result, order.id), pieces: undefined };
  if ('error' in outcome || outcome.shown === undefined) return outcome;
  return { ...outcome, shown: related(outcome.shown, order.id) };
}

/** Adds the id of the task to `_meta` of a JSON object. */
export function related(object: ByteText, id: string): ByteText {
  const members = readMembers(object);
  const meta = findMember(members, '_meta');
  const rest = meta !== undefined && isObject(meta) ? readMembers(meta) : [];
  return writeMembers(members, {
    _meta: writeMembers(rest, { [RELATED_TASK_KEY]: `{"taskId":${quoted(id)}}` }),
  });
}

function describe(order: KeptOrder, era: Era): Members {
  const { id, createdAt, updatedAt, ttlMs } = order;
  const statusMessage = statusMessageOf(order);
  const isLegacy = era === 'legacy';
  return {
    taskId: quoted(id),
    status: quoted(statusOf(order, era)),
    statusMessage: statusMessage === undefined ? undefined : jsonBytes(statusMessage),
    createdAt: quoted(new Date(createdAt).toISOString()),
    lastUpdatedAt: quoted(new Date(updatedAt).toISOString()),
    [isLegacy ? 'ttl' : 'ttlMs']: `${ttlMs}`,
    [isLegacy ? 'pollInterval' : 'pollIntervalMs']: `${POLL_MS}`,
  };
}

/** In the legacy era a result with `isError` is `failed`; in the modern era only a task without any result is. */
function statusOf({ outcome, isCancelled, questions }: KeptOrder, era: Era): TaskStatus {
  if (isCancelled) return 'cancelled';
  if (outcome === undefined) return questions.open.size > 0 ? 'input_required' : 'working';
  const isAnswered =
    era === 'legacy'
      ? outcome.kind === 'ok'
      : 'result' in outcome || ('reason' in outcome && outcome.shown !== undefined);
  return isAnswered ? 'completed' : 'failed';
}

function statusMessageOf({ outcome, isCancelled, progress }: KeptOrder): string | undefined {
  if (isCancelled) return 'The order was stopped.';
  if (outcome !== undefined) return 'reason' in outcome ? outcome.reason.message : undefined;
  const text = progress === undefined ? '' : latestText(progress(), MAX_STATUS_CHARS);
  return text === '' ? 'OpenClaw is working.' : text;
}

/** The members that the modern era adds in each state. */
function detailOf({ outcome, isCancelled, questions: { open } }: KeptOrder): Members {
  if (isCancelled) return {};
  if (outcome === undefined) return open.size > 0 ? { inputRequests: inputRequests(open) } : {};
  if ('result' in outcome) return { result: modernResult(outcome.result) };
  if ('error' in outcome) return { error: outcome.error };
  return outcome.shown === undefined ? { error: errorOf(outcome) } : { result: modernResult(outcome.shown) };
}

const modernResult = (result: ByteText): ByteText =>
  resultInEra(result, 'modern', { method: 'tools/call', tool: undefined });

const errorOf = ({ kind, reason }: Extract<Outcome, { reason: unknown }>): ByteText =>
  jsonBytes({
    code: kind === 'not_executed' ? RPC.notExecuted : RPC.outcomeUnknown,
    message: reason.message,
    data: { ...reason.data, code: reason.code, outcome: kind, hint: reason.hint },
  });

const inputRequests = (open: KeptOrder['questions']['open']): ByteText =>
  writeMembers(
    [...open].map(([key, { method, params }]) => ({
      key,
      raw: `{"method":${quoted(method)},"params":${questionToModern(method, params)}}`,
    })),
  );
