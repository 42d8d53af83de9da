import { RPC } from '../../core/protocol.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { DuplicateKeyError } from '../../core/wire/members.ts';
import { MalformedMessageError } from '../../core/wire/message.ts';
import type { RpcFailure } from './reply.ts';

/** What to answer to a message that could not be read; anything else is thrown on. */
export function malformed(error: unknown): { failure: RpcFailure; id: ByteText | undefined } {
  if (error instanceof MalformedMessageError)
    return { failure: { code: error.rpcCode, message: error.message, status: 400 }, id: error.id };
  if (error instanceof DuplicateKeyError)
    return { failure: { code: RPC.invalidRequest, message: error.message, status: 400 }, id: undefined };
  throw error;
}
