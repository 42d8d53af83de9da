/** The hub's answer to a call, over plain JSON or a stream of events. */
import { ERROR_CODES, PincerError, type ErrorCode } from '../../core/errors.ts';
import { parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, readMembers } from '../../core/wire/members.ts';

export type Answer =
  /** The result, as the bytes that the server sent. */
  { readonly result: ByteText } | { readonly failure: PincerError };

/** Undefined: the message is no answer. */
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
  // Without a code of ours in it the error is the server's own.
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

/** Undefined: the message is not about progress. */
export function readProgress(message: ByteText): Progress | undefined {
  const members = readMembers(message);
  if (findMember(members, 'method') !== '"notifications/progress"') return undefined;
  const params = findMember(members, 'params');
  return params === undefined ? undefined : (parseBytes(params) as Progress);
}
