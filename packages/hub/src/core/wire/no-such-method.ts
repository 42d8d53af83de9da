import { RPC } from '../protocol.ts';
import { jsonBytes, type ByteText } from './byte-text.ts';

/** The error object for a method that nobody here knows. */
export const NO_SUCH_METHOD: ByteText = jsonBytes({ code: RPC.methodNotFound, message: 'Method not found' });
