/** Errors for calls, requests and registrations that are refused. Apps and callers read these messages. */
import { PincerError } from '../core/errors.ts';
import { RPC } from '../core/protocol.ts';
import type { RpcFailure } from '../mcp/reply.ts';
import { visible } from '../core/visible.ts';

/** The message is specified by the document that the proxy follows. */
export const notConnected = (): PincerError =>
  new PincerError('BRIDGE_NOT_CONNECTED', 'Bridge is not connected', {
    hint: 'The app of this session is not connected, and nothing was run. Start or reload the app, then repeat the call.',
  });

export const bridgeLost = (): PincerError =>
  new PincerError('BRIDGE_LOST', 'The app disconnected while it worked on the call.', {
    hint: 'Check whether the call took effect before you repeat it.',
  });

export const sessionUnknown = (): PincerError =>
  new PincerError('SESSION_UNKNOWN', 'There is no such session, or it has expired.', {
    hint: 'Let the app create a new session, and use its new URL.',
  });

export const toolGone = (): PincerError =>
  new PincerError('TOOL_UNKNOWN', 'The app no longer has this tool. It was not run.', {
    hint: 'List the tools again.',
  });

export const tooManyCalls = (limit: number): PincerError =>
  new PincerError('SERVER_BUSY', `The app has not answered ${limit} calls of this session yet.`, {
    hint: 'Nothing was run. Repeat the call when some have been answered, or raise limits.maxCallsPerAppSession.',
    data: { limit },
  });

export const unreadCalls = (): PincerError =>
  new PincerError('SERVER_BUSY', 'The app does not read its messages.', {
    hint: 'Nothing was run. Repeat the call in a moment.',
  });

export const argumentsTooLarge = (limit: number): PincerError =>
  new PincerError('ARGUMENT_INVALID', `The call has more than ${limit} bytes, the limit of the app.`, {
    hint: 'Nothing was run. Send smaller arguments.',
    data: { limit },
  });

export const noAnswer = (ms: number): PincerError =>
  new PincerError('CALL_TIMEOUT', `The app did not answer within ${ms / 1_000} s.`, {
    hint: 'Check whether the call took effect before you repeat it. To allow more time, raise limits.appCallMs.',
  });

export const unreadableAnswer = (why: string): PincerError =>
  new PincerError('SERVER_PROTOCOL', `The answer of the app cannot be read: ${why}`, {
    hint: 'Check whether the call took effect before you repeat it. The app got an error frame with the reason.',
  });

export const cancelled = (why: string): PincerError =>
  new PincerError('CALL_CANCELLED', `Cancelled: ${why}.`);

/** Whole seconds, at least one. */
export const retryAfterSeconds = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1_000)));

export const askedTooOften = (retryAfterMs: number): PincerError =>
  new PincerError('RATE_LIMITED', 'Too many requests in a short time. Nothing was run.', {
    hint: `Repeat it in ${retryAfterSeconds(retryAfterMs)} s.`,
    data: { retryAfterMs },
  });

export const wrongMethod = (method: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', `method: must be ${method}.`, { hint: `Use ${method}.` });

export const badBody = (reason: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', `body: ${reason}.`, {
    hint: 'Send a smaller body, or raise limits.maxRegistrationBytes or limits.bodyTimeoutMs.',
  });

export const notJson = (): PincerError =>
  new PincerError('ARGUMENT_INVALID', 'Content-Type: must be application/json.', {
    hint: 'Send the registration as JSON with this Content-Type.',
  });

export const NO_SESSION_NAMED: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'No session named. Send its id in the path, /v1/mcp/{id}, or in the header MCP-Session-Id.',
  status: 400,
};

/** The error as a JSON-RPC failure for a caller of tools. The call certainly did not run. */
export const asRpcFailure = ({ code, message, hint, data }: PincerError, status: number): RpcFailure => ({
  code: RPC.notExecuted,
  message,
  data: { ...data, code, outcome: 'not_executed', hint },
  status,
});

/** An error about a registration. The message begins with the place: `tools[3].input_schema: …`. */
export const refuse = (place: string, problem: string, hint: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', `${place}: ${problem}.`, { hint });

export const tooLarge = (place: string, counted: string, max: number): PincerError =>
  refuse(place, `has more than ${max} ${counted}`, 'Make it smaller, or raise the limit in the settings.');

/** Names come from the app, so a quoted name is cut to keep the message short. */
const MAX_NAME_SHOWN = 60;

export const shown = (name: string): string =>
  visible(name.length <= MAX_NAME_SHOWN ? name : `${name.slice(0, MAX_NAME_SHOWN)}…`);

/** The place of a member. */
export const inside = (place: string, name: string): string =>
  place === '' ? shown(name) : `${place}.${shown(name)}`;
