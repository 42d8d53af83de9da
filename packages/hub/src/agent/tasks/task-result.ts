/**
 * An order as a task, in the words of either era: of the specification 2025-11-25, and of the extension
 * `io.modelcontextprotocol/tasks` of 2026-07-28.
 */
import { questionToModern, resultInEra } from '../../core/eras/in-era.ts';
import { RELATED_TASK_KEY } from '../../core/call/task-ids.ts';
import type { Outcome } from '../../core/outcome.ts';
import { RPC, type Era } from '../../core/protocol.ts';
import { jsonBytes, quoted, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, isObject, readMembers, writeMembers } from '../../core/wire/members.ts';
import type { KeptOrder } from './kept-order.ts';
import { lastSaid } from './said.ts';

type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
type Members = Readonly<Record<string, ByteText | undefined>>;

/** How often a client is advised to ask. */
const POLL_MS = 1_000;
const MAX_STATUS_CHARS = 1_000;

/** What a call that became a task is answered with. */
export const taskResult = (order: KeptOrder, era: Era): ByteText =>
  era === 'legacy'
    ? `{"task":${legacyTask(order)}}`
    : writeMembers([], { resultType: '"task"', ...describe(order, 'modern') });

/** What `tasks/get` is answered with. */
export const getTaskResult = (order: KeptOrder, era: Era): ByteText =>
  era === 'legacy'
    ? legacyTask(order)
    : writeMembers([], { resultType: '"complete"', ...describe(order, 'modern'), ...detailOf(order) });

/** A whole task of the legacy era: also what it is told by `notifications/tasks/status`. */
export const legacyTask = (order: KeptOrder): ByteText => writeMembers([], describe(order, 'legacy'));

/** What `tasks/result` is answered with: what the call would have been, and which task it is of. */
export function finalOutcome(order: KeptOrder, outcome: Outcome): Outcome {
  if ('result' in outcome)
    return { ...outcome, result: related(outcome.result, order.id), pieces: undefined };
  if ('error' in outcome || outcome.shown === undefined) return outcome;
  return { ...outcome, shown: related(outcome.shown, order.id) };
}

/** Says of a JSON object which task it belongs to. */
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

/** A result with `isError` is `failed` in the legacy era; in the modern one only what has no result at all is. */
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
  const said = progress === undefined ? '' : lastSaid(progress(), MAX_STATUS_CHARS);
  return said === '' ? 'OpenClaw is working.' : said;
}

/** What the modern era has besides in each state. */
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
