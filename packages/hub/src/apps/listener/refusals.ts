/** Why the proxy does not do what it is asked. */
import { PincerError } from '../../core/errors.ts';
import { RPC } from '../../core/protocol.ts';
import type { RpcFailure } from '../../mcp/reply.ts';
import { retryAfterSeconds } from './answers.ts';

export const unknownSession = (): PincerError =>
  new PincerError('SESSION_UNKNOWN', 'There is no such session, or it has expired.', {
    hint: 'The app has to create a new session; use the address that it gets.',
  });

export const askedTooOften = (retryAfterMs: number): PincerError =>
  new PincerError('RATE_LIMITED', 'Too many requests in a short time. Nothing was run.', {
    hint: `Repeat it in ${retryAfterSeconds(retryAfterMs)} s.`,
    data: { retryAfterMs },
  });

export const wrongMethod = (method: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', `method: must be ${method}.`, { hint: `Use ${method}.` });

export const badBody = (reason: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', `body: ${reason}.`, {
    hint: 'Send less at once, or raise limits.maxRegistrationBytes or limits.bodyTimeoutMs.',
  });

export const notJson = (): PincerError =>
  new PincerError('ARGUMENT_INVALID', 'Content-Type: must be application/json.', {
    hint: 'Send the registration as JSON, and say so.',
  });

export const NO_SESSION_NAMED: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Which session? Name it in the path, /v1/mcp/{id}, or in the header MCP-Session-Id.',
  status: 400,
};

/** The same to a caller of tools, whose call certainly did not run. */
export const asRpcFailure = ({ code, message, hint, data }: PincerError, status: number): RpcFailure => ({
  code: RPC.notExecuted,
  message,
  data: { ...data, code, outcome: 'not_executed', hint },
  status,
});
