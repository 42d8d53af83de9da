import { cut, isObject, type JsonObject, type JsonValue } from './json.ts';
import { errorMessage } from './outbound.ts';

/** One message from the client, parsed once, with the exact text of its relevant parts. */
export interface Inbound {
  kind: 'request' | 'notification' | 'response';
  method: string;
  id: JsonValue;
  rawId: string;
  params: JsonObject;
  /** The exact text of `params`; empty without `params`. */
  rawParams: string;
  /** The `result` or `error` of a response. */
  answer: JsonObject;
}

/** The message, or the error response if it cannot be parsed. */
export function readInbound(raw: string): Inbound | { error: string } {
  let message: unknown;
  try {
    message = JSON.parse(raw);
  } catch {
    return { error: errorMessage('null', { code: -32700, message: 'Parse error' }) };
  }
  if (!isObject(message) || message['jsonrpc'] !== '2.0') {
    return { error: errorMessage('null', { code: -32600, message: 'Invalid request' }) };
  }
  const { method, id, params, result, error } = message;
  const kind = typeof method !== 'string' ? 'response' : id === undefined ? 'notification' : 'request';
  return {
    kind,
    method: typeof method === 'string' ? method : '',
    id: id ?? null,
    rawId: cut(raw, 'id') ?? 'null',
    params: isObject(params) ? params : {},
    rawParams: cut(raw, 'params') ?? '',
    answer: error === undefined ? { result } : { error },
  };
}
