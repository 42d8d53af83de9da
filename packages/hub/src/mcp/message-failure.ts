import type { Log } from '../core/ports.ts';
import { RPC } from '../core/protocol.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { DuplicateKeyError } from '../core/wire/members.ts';
import { MalformedMessageError } from '../core/wire/message.ts';
import type { RpcFailure } from './reply.ts';

/** What to answer when a message could not be handled; what is not the message's fault is logged. */
export function failureOfError(error: unknown, log: Log): { failure: RpcFailure; id: ByteText | undefined } {
  if (error instanceof MalformedMessageError)
    return { failure: { code: error.rpcCode, message: error.message, status: 400 }, id: error.id };
  if (error instanceof DuplicateKeyError)
    return { failure: { code: RPC.invalidRequest, message: error.message, status: 400 }, id: undefined };
  log.error('a request could not be handled', { error });
  return { failure: { code: RPC.internalError, message: 'Internal error', status: 500 }, id: undefined };
}
