import type { JsonObject, JsonValue } from './json.ts';

/** Messages to the client, written by hand: ids and results are inserted as raw text. */

export interface ErrorBody {
  code: number;
  message: string;
  data?: JsonValue | undefined;
}

/** Thrown by a behaviour to answer with a JSON-RPC error. */
export class RpcError extends Error {
  readonly body: ErrorBody;
  constructor(body: ErrorBody) {
    super(body.message);
    this.body = body;
  }
}

/** `extra` is the text of additional members of the envelope, such as `"x-vendor":1`. */
export function resultMessage(rawId: string, rawResult: string, extra = ''): string {
  return `{"jsonrpc":"2.0","id":${rawId},"result":${rawResult}${extra === '' ? '' : `,${extra}`}}`;
}

export function errorMessage(rawId: string, body: ErrorBody): string {
  return `{"jsonrpc":"2.0","id":${rawId},"error":${JSON.stringify(body)}}`;
}

export function notificationMessage(method: string, params?: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/** `rawToken` is the caller's progress token as raw text. */
export function progressMessage(rawToken: string, progress: JsonObject): string {
  const rest = JSON.stringify(progress).slice(1);
  return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${rawToken},${rest}}`;
}
