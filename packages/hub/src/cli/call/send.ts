import { PincerError, ERROR_CODES, type ErrorCode } from '../../core/errors.ts';
import { MARK_HEADER, WAIT_HEADER } from '../../core/protocol.ts';
import { toByteText, type ByteText, parseBytes } from '../../core/wire/byte-text.ts';
import { SseReader } from '../../core/wire/sse-reader.ts';
import type { HubClient } from '../../control/client/hub-client.ts';
import { findTool } from './find-tool.ts';
import { findMember, readMembers } from '../../core/wire/members.ts';

interface Call {
  readonly server: string;
  readonly tool: string;
  /** JSON text of an object. */
  readonly argumentsText: string;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
  /** Lets this process find the approval that belongs to this call. */
  readonly mark: string;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** Time after the timeout for the hub to cancel the call and report its outcome. */
const CANCEL_GRACE_MS = 1_000;

/** Returns the bytes of the result, or throws. */
export async function sendCall(hub: HubClient, call: Call): Promise<ByteText> {
  let answer = await sendOnce(hub, call);
  if ('failure' in answer && answer.failure.code === 'TOOL_UNKNOWN') {
    // A hub that has just started may not have listed this server's tools yet. findTool makes it do so, or throws
    // with a suggestion. Nothing ran, so the call may be sent again.
    await findTool(hub, call);
    answer = await sendOnce(hub, call);
  }
  if ('failure' in answer) throw cancelledCall(answer.failure, call);
  return answer.result;
}

async function sendOnce(hub: HubClient, call: Call): Promise<Answer> {
  let answer: Answer | undefined;
  let events: SseReader | undefined;
  const onMessage = (message: ByteText): void => {
    const progress = readProgress(message);
    if (progress === undefined) answer ??= readAnswer(message);
    else call.onProgress?.(progress);
  };
  const sent = hub.postMcp(call.server, {
    accept: 'application/json, text/event-stream',
    body: toByteText(messageText(call)),
    headers: {
      [MARK_HEADER]: call.mark,
      ...(call.timeoutMs !== undefined && { [WAIT_HEADER]: String(call.timeoutMs) }),
    },
    signal: call.signal,
    ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs + CANCEL_GRACE_MS }),
    onData(piece, { type }) {
      if (type !== 'text/event-stream') return;
      events ??= new SseReader({
        maxBytes: Number.POSITIVE_INFINITY,
        onEvent: ({ data }) => onMessage(data),
        onOverflow: () => undefined,
      });
      events.push(piece);
    },
  });
  const { status, type, body } = await sent.catch((error: unknown) => {
    throw lostCall(error, call);
  });
  if (status === 404) {
    const { explainServer } = await import('./explain.ts');
    throw await explainServer(hub, call.server, call.tool);
  }
  if (status !== 200) throw refusedCall(status, body);
  if (type === 'application/json') onMessage(body);
  if (answer !== undefined) return answer;
  throw lostCall(new PincerError('HUB_UNREACHABLE', 'The hub ended before it answered.'), call);
}

function messageText({ server: _server, tool, argumentsText, onProgress }: Call): string {
  const meta = onProgress === undefined ? '' : ',"_meta":{"progressToken":1}';
  const params = `{"name":${JSON.stringify(tool)},"arguments":${argumentsText}${meta}}`;
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
}

const NEVER_RAN = { outcome: 'not_executed' };
const MAY_HAVE_RUN = { outcome: 'outcome_unknown' };
const LOOK_FIRST = 'It may have run. Check what it did before you repeat it.';

interface Lost {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number | undefined;
}

/** The error for a call without an answer. Its outcome says whether the call is safe to repeat. */
export function lostCall(error: unknown, call: Lost): PincerError {
  const { code, message, hint, data } = PincerError.from(error);
  if (code === 'CALL_TIMEOUT') return lateCall(call, MAY_HAVE_RUN);
  if (code === 'CALL_CANCELLED' && data?.['sent'] !== false)
    return new PincerError(code, `${call.server}.${call.tool} was cancelled.`, {
      hint: LOOK_FIRST,
      data: MAY_HAVE_RUN,
    });
  if (code === 'HUB_UNREACHABLE' && data?.['sent'] !== false)
    return new PincerError(code, message, { hint: LOOK_FIRST, data: MAY_HAVE_RUN });
  return new PincerError(code, message, { hint, data: NEVER_RAN, cause: error });
}

/** Turns a cancellation after `--timeout` into CALL_TIMEOUT. Returns any other failure unchanged. */
export function cancelledCall(failure: PincerError, call: Lost): PincerError {
  if (call.timeoutMs === undefined || failure.code !== 'CALL_CANCELLED') return failure;
  return lateCall(call, failure.data?.['outcome'] === 'not_executed' ? NEVER_RAN : MAY_HAVE_RUN);
}

function lateCall({ server, tool, timeoutMs }: Lost, data: { outcome: string }): PincerError {
  const text = `${server}.${tool} was cancelled: no answer within ${timeoutMs} ms.`;
  return data === NEVER_RAN
    ? new PincerError('CALL_TIMEOUT', `${text} It was not run.`, {
        hint: 'Give it more time, for example --timeout 120000 (milliseconds).',
        data,
      })
    : new PincerError('CALL_TIMEOUT', text, { hint: LOOK_FIRST, data });
}

/** The error for an HTTP status with which the hub refused the call before routing it. */
export function refusedCall(status: number, body: ByteText): PincerError {
  const isBusy = status === 503;
  return new PincerError(isBusy ? 'SERVER_BUSY' : 'INTERNAL', refusalText(status, body), {
    hint: isBusy ? 'Wait a little, then try again.' : undefined,
    data: NEVER_RAN,
  });
}

function refusalText(status: number, body: ByteText): string {
  try {
    return (parseBytes(body) as { error: { message: string } }).error.message;
  } catch {
    return `The hub refused the call with HTTP ${status}.`;
  }
}

/** `result` has the bytes that the server sent. */
type Answer = { readonly result: ByteText } | { readonly failure: PincerError };

/** Returns undefined if the message is not an answer. */
export function readAnswer(message: ByteText): Answer | undefined {
  const members = readMembers(message);
  const result = findMember(members, 'result');
  if (result !== undefined) return { result };
  const error = findMember(members, 'error');
  return error === undefined ? undefined : { failure: toFailure(parseBytes(error) as RpcError) };
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly code?: unknown; readonly outcome?: unknown; readonly hint?: unknown } | null;
}

function toFailure({ code, message, data }: RpcError): PincerError {
  // An error without one of Pincer's codes comes from the server.
  if (!isErrorCode(data?.code))
    return new PincerError('TOOL_ERROR', `The server answered with error ${code}: ${message}`, {
      data: { outcome: 'tool_error' },
    });
  const hint = typeof data.hint === 'string' ? data.hint : undefined;
  return new PincerError(data.code, message, { hint, data: { outcome: data.outcome } });
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Returns undefined if the message is not a progress notification. */
export function readProgress(message: ByteText): Progress | undefined {
  const members = readMembers(message);
  if (findMember(members, 'method') !== '"notifications/progress"') return undefined;
  const params = findMember(members, 'params');
  return params === undefined ? undefined : (parseBytes(params) as Progress);
}
