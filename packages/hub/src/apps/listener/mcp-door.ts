/** `/v1/mcp/{id}`, and `/v1/mcp` with `MCP-Session-Id`: whose requests they are, and for which session. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../../core/caller.ts';
import { asBytes } from '../../core/wire/byte-text.ts';
import { errorText, type RpcFailure } from '../mcp/reply.ts';
import { header } from '../header.ts';
import { retryAfterSeconds, type Answers } from './answers.ts';
import type { Keys } from './keys.ts';
import type { Wait } from './rates.ts';
import { asRpcFailure, askedTooOften, NO_SESSION_NAMED, unknownSession } from './refusals.ts';

export interface McpDoorParts {
  readonly answers: Answers;
  readonly keys: Pick<Keys, 'callerOf' | 'version'>;
  /** To ask for it is to use it. False: there is no such session. */
  useSession(id: string): boolean;
  /** How long whoever asks too often has to wait. */
  tooSoon(caller: Caller, session: string): Wait | undefined;
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller, session: string): void;
  onRejected(status: number): void;
}

/** `id` is that of the path, and wins over the header. */
export type McpDoor = (request: IncomingMessage, response: ServerResponse, id: string | undefined) => void;

export function createMcpDoor(parts: McpDoorParts): McpDoor {
  const { keys } = parts;
  /** What a connection has already proven; void as soon as any key changes. */
  const proven = new WeakMap<Socket, { header: string; version: number; caller: Caller }>();

  function authenticate({ headers, socket }: IncomingMessage): Caller | undefined {
    const { authorization = '' } = headers;
    const known = proven.get(socket);
    if (known?.header === authorization && known.version === keys.version) return known.caller;
    const caller = keys.callerOf(headers);
    if (caller !== undefined) proven.set(socket, { header: authorization, version: keys.version, caller });
    return caller;
  }

  function refuse(response: ServerResponse, failure: RpcFailure): void {
    parts.onRejected(failure.status);
    const text = errorText(undefined, failure);
    response
      .writeHead(failure.status, {
        'content-type': 'application/json',
        'content-length': String(text.length),
      })
      .end(asBytes(text), 'latin1');
  }

  return (request, response, id) => {
    const caller = authenticate(request);
    if (caller === undefined) return parts.answers.text(response, 401);
    const named = id ?? header(request.headers['mcp-session-id']);
    if (named === undefined || named === '') return refuse(response, NO_SESSION_NAMED);
    if (!parts.useSession(named)) return refuse(response, asRpcFailure(unknownSession(), 404));
    const wait = parts.tooSoon(caller, named);
    if (wait === undefined) return parts.handle(request, response, caller, named);
    response.setHeader('retry-after', retryAfterSeconds(wait.retryAfterMs));
    refuse(response, asRpcFailure(askedTooOften(wait.retryAfterMs), 429));
  };
}
