/**
 * Runs an invocation of the gateway as a call (catalog, policy, approvals, record), and answers in OpenClaw's form.
 */
import type { Calls } from '../../core/call/calls.ts';
import { DEVICE_SOURCE, type Caller, type OpenClawWord } from '../../core/caller.ts';
import { STRANGER } from '../../core/client.ts';
import type { ErrorCode, PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { FAILURE_CODE_KEY } from '../../core/protocol.ts';
import type { CallerExchange } from '../../core/request.ts';
import { parseBytes, quoted, type ByteText, toByteText, fromByteText } from '../../core/wire/byte-text.ts';
import {
  memberAt,
  DuplicateKeyError,
  isObject,
  readMembers,
  writeMembers,
  findMember,
} from '../../core/wire/members.ts';
import { NO_SUCH_METHOD } from '../../core/wire/message.ts';
import { isRecord, textAt } from '../../lib/record.ts';
import { CALL_COMMAND } from './declared.ts';
import type { Invocation, InvocationResult, InvocationFailure } from './parts.ts';

interface GatewayInvokeParts {
  readonly calls: Pick<Calls, 'start'>;
  /** Whether agents of the gateway get this tool of another source. */
  isPublished(server: string, tool: string): boolean;
}

/** The caller of all invocations of a paired gateway. */
const GATEWAY_CALLER = 'gateway';

interface Target {
  readonly server: string;
  readonly tool: string;
  readonly arguments: ByteText;
  readonly word: OpenClawWord;
}

export function createInvoke(
  parts: GatewayInvokeParts,
): (invocation: Invocation) => Promise<InvocationResult> {
  return async (invocation) => {
    const target = targetOf(invocation, parts);
    if (!('mistake' in target)) return call(target, invocation, parts);
    return { ok: false, error: refusal(invocation.command, 'INVALID_REQUEST', target.mistake) };
  };
}

function targetOf(
  { command, paramsJSON, session }: Invocation,
  { isPublished }: GatewayInvokeParts,
): Target | { readonly mistake: string } {
  const params = readParams(command, paramsJSON, session);
  if ('mistake' in params) return params;
  if (command !== CALL_COMMAND) return { server: DEVICE_SOURCE, tool: command, ...params };
  const { server, tool } = parseBytes(params.arguments) as Record<string, unknown>;
  if (typeof server !== 'string' || typeof tool !== 'string') return { mistake: 'server and tool required' };
  if (!isPublished(server, tool)) return { mistake: 'No such tool is offered here.' };
  const given = memberAt(params.arguments, ['arguments']) ?? '{}';
  if (!isRecord(parseBytes(given))) return { mistake: 'arguments must be an object' };
  return { server, tool, arguments: given, word: params.word };
}

function call(
  { server, tool, arguments: given, word }: Target,
  { command, signal, timeoutMs, progress }: Invocation,
  { calls }: GatewayInvokeParts,
): Promise<InvocationResult> {
  const { promise, resolve } = Promise.withResolvers<InvocationResult>();
  const exchange: CallerExchange = {
    notify: (method, params) => forwardProgress(method, params, progress),
    // There is no client that could answer questions of a server.
    ask(question) {
      question.answer({ error: NO_SUCH_METHOD });
      return { withdraw: () => undefined };
    },
    pause: () => undefined,
    goOn: () => !signal.aborted,
    settle: (outcome) => resolve(resultOf(outcome, command)),
  };
  const running = calls.start(
    {
      caller: callerOf(server, word),
      surface: 'gateway',
      mediaBytes: 'structured',
      view: server,
      method: 'tools/call',
      params: [
        { key: 'name', raw: quoted(tool) },
        { key: 'arguments', raw: given },
      ],
      meta: [{ key: 'progressToken', raw: '0' }],
      era: 'legacy',
      client: STRANGER,
      timeoutMs,
    },
    exchange,
  );
  const cancel = (): void => running.cancel('the gateway cancelled it or stopped waiting');
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', cancel));
}

/** `noOrders`: a gateway must not call OpenClaw, which is itself. */
const callerOf = (server: string, openClaw: OpenClawWord): Caller => ({
  id: GATEWAY_CALLER,
  name: GATEWAY_CALLER,
  scopes: { servers: [server], noOrders: true },
  openClaw,
});

function forwardProgress(method: string, params: ByteText, progress: Invocation['progress']): void {
  if (method !== 'notifications/progress') return;
  const { progress: done, total, message } = parseBytes(params) as Record<string, unknown>;
  if (typeof done !== 'number') return;
  progress({
    progress: done,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  });
}

type ReadParams =
  | { readonly arguments: ByteText; readonly word: OpenClawWord }
  /** Why they are invalid. */
  | { readonly mistake: string };

/** OpenClaw 2026.9.6 adds these to `system.run` (`pickSystemRunParams`, and its approvals). */
const OF_THE_RUN = [
  'approved',
  'approvalDecision',
  'approvalSource',
  'runId',
  'systemRunPlan',
  'agentId',
  'sessionKey',
  'suppressNotifyOnExit',
  'needsScreenRecording',
  'turnSourceChannel',
  'turnSourceTo',
  'turnSourceAccountId',
  'turnSourceThreadId',
] as const;

/**
 * Reads the parameters of a command. Those of `system.run` also contain statements of the gateway about the run. These
 * are removed from the arguments, because an MCP client could send the same members as arguments.
 */
export function readParams(command: string, paramsJSON: string, session: string | undefined): ReadParams {
  const bytes = toByteText(paramsJSON);
  try {
    const params = parseBytes(bytes);
    if (params === null) return { arguments: '{}', word: { session } };
    if (!isRecord(params) || !isObject(bytes)) return { mistake: 'The parameters are not an object.' };
    const members = readMembers(bytes);
    // The agent is part of the plan. It grants nothing.
    if (command === 'system.run.prepare') return { arguments: bytes, word: speaker(params, session) };
    if (command !== 'system.run') return { arguments: bytes, word: { session } };
    const approved = approvalIn(params);
    if (approved === 'mismatch') return { mistake: 'explicit approval requires matching systemRunPlan' };
    const stripped = writeMembers(
      members.filter(({ key }) => !(OF_THE_RUN as readonly string[]).includes(key)),
    );
    return { arguments: stripped, word: { ...speaker(params, session), approved } };
  } catch (error) {
    return { mistake: error instanceof DuplicateKeyError ? error.message : 'The parameters are not JSON.' };
  }
}

type Params = Readonly<Record<string, unknown>>;

const speaker = (params: Params, session: string | undefined): OpenClawWord => ({
  agent: textAt(params, 'agentId'),
  session: session ?? textAt(params, 'sessionKey'),
});

/**
 * A person's approval of exactly this run: the plan that the person saw has the same words, folder, agent and session.
 * The review of a model or an unanswered question (`approvalSource`) is not an approval.
 */
function approvalIn(params: Params): OpenClawWord['approved'] | 'mismatch' {
  const decision = decisionIn(params);
  if (decision === undefined) return undefined;
  const plan = params['systemRunPlan'];
  const isSame = (key: string): boolean =>
    isRecord(plan) && (textAt(plan, key) ?? undefined) === (textAt(params, key) ?? undefined);
  const hasSameWords = isRecord(plan) && JSON.stringify(plan['argv']) === JSON.stringify(params['command']);
  if (!hasSameWords || !isSame('cwd') || !isSame('agentId') || !isSame('sessionKey')) return 'mismatch';
  return decision;
}

function decisionIn({ approved, approvalDecision, approvalSource }: Params): OpenClawWord['approved'] {
  if (approvalSource !== undefined || (approved !== undefined && approved !== true)) return undefined;
  if (approvalDecision === 'allow-once' || approvalDecision === 'allow-always') return approvalDecision;
  return approved === true && approvalDecision === undefined ? 'allow-once' : undefined;
}

export function resultOf(outcome: Outcome, command: string): InvocationResult {
  if (!('result' in outcome))
    return 'error' in outcome ? refused(outcome.error) : unanswered(outcome, command);
  // Agents read the whole MCP result of a tool.
  if (command === CALL_COMMAND) return { ok: true, payloadJSON: fromByteText(outcome.result) };
  if (outcome.kind === 'tool_error') return failed(outcome.result);
  // Copies the bytes: a picture is not parsed and serialized again.
  const payload = findMember(readMembers(outcome.result), 'structuredContent');
  return { ok: true, payloadJSON: fromByteText(payload ?? '{}') };
}

/** The text of a failed command. It often begins with the code that other nodes use. */
function failed(result: ByteText): InvocationResult {
  const { content, _meta: meta } = parseBytes(result) as Record<string, unknown>;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const message =
    blocks.flatMap((block) => textAt(block, 'text') ?? []).join('\n') || 'tool execution failed';
  const known = isRecord(meta) ? textAt(meta, FAILURE_CODE_KEY) : undefined;
  return failure(known ?? LEADING_CODE.exec(message)?.[1] ?? 'UNAVAILABLE', message);
}

const LEADING_CODE = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/;

function refused(error: ByteText): InvocationResult {
  const value = parseBytes(error);
  return failure(
    'UNAVAILABLE',
    (isRecord(value) ? textAt(value, 'message') : undefined) ?? 'The call failed.',
  );
}

/** OpenClaw's names of our codes. */
const THEIR_CODE: Partial<Record<ErrorCode, string>> = {
  ARGUMENT_INVALID: 'INVALID_REQUEST',
  CALL_TIMEOUT: 'TIMEOUT',
  CALL_CANCELLED: 'ABORTED',
  TOOL_ERROR: 'UNAVAILABLE',
};

type Unanswered = Exclude<Outcome, { readonly kind: 'ok' | 'tool_error' }>;

function unanswered({ kind, reason }: Unanswered, command: string): InvocationResult {
  const message = reason.hint === undefined ? reason.message : `${reason.message} ${reason.hint}`;
  if (kind === 'not_executed') return { ok: false, error: refusal(command, codeOf(reason), message) };
  return failure(codeOf(reason), message);
}

const codeOf = ({ code, message, data = {} }: PincerError): string =>
  textAt(data, 'code') ?? LEADING_CODE.exec(message)?.[1] ?? THEIR_CODE[code] ?? code;

/** For `system.run`, OpenClaw assumes that a command with any other code may have run. */
export const refusal = (command: string, code: string, message: string): InvocationFailure => ({
  code: command === 'system.run' ? 'SYSTEM_RUN_DENIED' : code,
  message,
});

const failure = (code: string, message: string): InvocationResult => ({
  ok: false,
  error: { code, message },
});
