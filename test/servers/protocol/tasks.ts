/**
 * Tasks whose ids every server counts from 1, so two servers use the same ids. The job asks a question, and its
 * result names the server and the answer it received.
 */
import { refuse, type Decision } from '../connection.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { notificationMessage, resultMessage } from '../outbound.ts';
import type { FixtureState } from '../state.ts';
import { define, stringArg, type PlainResult, type Tool, type ToolContext } from '../tool.ts';
import { start, type Call } from './call-tool.ts';

export interface Job {
  id: string;
  marker: string;
  /** The client's answer; undefined while the question is open. */
  heard: JsonValue | undefined;
  isCancelled: boolean;
}

const RELATED = 'io.modelcontextprotocol/related-task';
const TIMES = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };

/** Not in `behaviours`: only a server with the flag `tasks` has it. */
export const job: Tool = {
  definition: {
    ...define('job', 'Becomes a task, which asks whom it is for.', { marker: 'string' }),
    execution: { taskSupport: 'required' },
  },
  handle(context) {
    const { jobs } = context.server;
    const made: Job = {
      id: `task-${jobs.size + 1}`,
      marker: stringArg(context.args, 'marker'),
      heard: undefined,
      isCancelled: false,
    };
    jobs.set(made.id, made);
    if (context.caller.era === 'modern')
      return { rawResult: JSON.stringify({ resultType: 'task', ...modernTask(context.server, made) }) };
    setTimeout(() => context.push(notificationMessage('notifications/tasks/status', legacyTask(made))), 20);
    // The unusual spacing shows whether anything rewrote the result.
    return { rawResult: `{"task":${JSON.stringify(legacyTask(made))},"kept": 1.0}` };
  },
};

/** Returns undefined if the request is not about tasks. */
export function serveTasks(call: Call): Decision | undefined {
  const { inbound, caller, state } = call;
  if (!inbound.method.startsWith('tasks/')) return undefined;
  const made = state.jobs.get(stringArg(inbound.params, 'taskId', ''));
  if (made === undefined) return refuse(inbound, { code: -32602, message: 'No such task here' });
  const answer = (result: JsonObject): Decision => ({
    kind: 'answer',
    status: 200,
    message: resultMessage(inbound.rawId, call.write(result)),
  });
  const isModern = caller.era === 'modern';
  switch (inbound.method) {
    case 'tasks/get':
      return answer(isModern ? modernTask(state, made) : legacyTask(made));
    case 'tasks/cancel':
      made.isCancelled = true;
      return answer(isModern ? {} : legacyTask(made));
    case 'tasks/update':
      made.heard ??= inbound.params['inputResponses'] ?? null;
      return answer({});
    default:
      return start(call, { definition: { name: 'result' }, handle: (context) => finish(context, made) });
  }
}

/** 2025-11-25: the task asks its questions while the client waits for its result. */
async function finish(context: ToolContext, made: Job): Promise<PlainResult> {
  const _meta = { [RELATED]: { taskId: made.id } };
  made.heard ??= await context.ask(
    'elicitation/create',
    { ...questionOf(context.server, made), _meta },
    'send',
  );
  return Object.assign(resultOf(context.server, made), { _meta });
}

const questionOf = ({ flags }: FixtureState, { marker }: Job): JsonObject => ({
  message: `Whom is ${marker} for? asks ${flags.name}`,
  requestedSchema: { type: 'object', properties: { by: { type: 'string' } } },
});

const resultOf = ({ flags }: FixtureState, { id, marker, heard = null }: Job): PlainResult => ({
  content: [{ type: 'text', text: JSON.stringify({ server: flags.name, id, marker, heard }) }],
});

const legacyTask = ({ id, heard, isCancelled }: Job): JsonObject => ({
  taskId: id,
  status: isCancelled ? 'cancelled' : heard === undefined ? 'input_required' : 'completed',
  ...TIMES,
  ttl: null,
  pollInterval: 50,
});

/** SEP-2663: the questions and the result are parts of the task. */
const modernTask = (state: FixtureState, made: Job): JsonObject => ({
  taskId: made.id,
  status: legacyTask(made)['status'],
  ...TIMES,
  ttlMs: 60_000,
  pollIntervalMs: 50,
  ...(made.heard === undefined
    ? { inputRequests: { whom: { method: 'elicitation/create', params: questionOf(state, made) } } }
    : { result: { resultType: 'complete', ...resultOf(state, made) } }),
});
