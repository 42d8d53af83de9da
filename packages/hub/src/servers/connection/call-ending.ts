/** What became of a call, in words that a caller can act on. Pure. */
import { PincerError } from '../../core/errors.ts';
import { outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import type { Era } from '../../core/protocol.ts';
import type { SourceRequest } from '../../core/request.ts';
import { isObject } from '../../core/wire/members.ts';
import type { Message } from '../../core/wire/message.ts';

/** A server's answer. */
export function answered(message: Message, era: Era): Outcome {
  const { result, error, extra } = message;
  if (result === undefined) return { kind: 'tool_error', error: error!, extra };
  if (!isObject(result)) return outcomeUnknown(NO_RESULT);
  return { kind: message.isError ? 'tool_error' : 'ok', result, era, extra };
}

const NO_RESULT = new PincerError('SERVER_PROTOCOL', 'The server answered with a result that is no object.', {
  hint: 'Check whether the call took effect before you repeat it.',
});

/** The connection is gone that it was sent on. */
export const lostWith = (reason: PincerError): PincerError =>
  new PincerError(reason.code, `${reason.message} The call had been sent: whether it ran is unknown.`, {
    hint: 'Check whether it took effect before you repeat it.',
    cause: reason,
  });

/** How long a call may be silent: a caller that waits longer than the server's own limit gets its wait, up to `maxCallMs`. */
export const callTimeoutMs = (
  { waitMs = 0 }: Pick<SourceRequest, 'waitMs'>,
  requestTimeoutMs: number,
  maxCallMs: number,
): number => Math.max(requestTimeoutMs, Math.min(waitMs, maxCallMs));

export function timedOut(
  server: string,
  { timeoutMs, request }: { readonly timeoutMs: number; readonly request: Pick<SourceRequest, 'waitMs'> },
): PincerError {
  const isCapped = (request.waitMs ?? 0) > timeoutMs;
  return new PincerError(
    'CALL_TIMEOUT',
    `Server "${server}" did not answer within ${timeoutMs} ms; it was told to stop.`,
    {
      hint: isCapped
        ? 'Check what it did before you repeat the call. No call may take longer than limits.maxCallMs.'
        : `Check what it did before you repeat the call, or raise servers.${server}.requestTimeoutMs.`,
    },
  );
}

/** Nobody answers there any more, or not to us; a server that refuses one request with a status is still there. */
export const meansGone = ({ code, data }: PincerError): boolean =>
  code === 'SIGN_IN_NEEDED' || (code === 'SERVER_UNREACHABLE' && data?.['status'] === undefined);
