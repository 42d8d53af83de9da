/** `/v1/mcp/{id}`, and `/v1/mcp` with `MCP-Session-Id`: whose requests they are, and for which session. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../../core/caller.ts';
import { RPC } from '../../core/protocol.ts';
import { asBytes } from '../../core/wire/byte-text.ts';
import { errorText, type RpcFailure } from '../mcp/reply.ts';
import { retryAfterSeconds, sendText } from './answers.ts';
import type { Keys } from './keys.ts';

export interface McpDoorParts {
  readonly keys: Pick<Keys, 'callerOf' | 'version'>;
  hasSession(id: string): boolean;
  /** How long whoever asks too often has to wait. */
  tooSoon(caller: Caller, session: string): { readonly retryAfterMs: number } | undefined;
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
    if (caller === undefined) {
      parts.onRejected(401);
      return sendText(response, 401);
    }
    const named = id ?? header(request.headers['mcp-session-id']);
    if (named === undefined || named === '') return refuse(response, NO_SESSION_NAMED);
    if (!parts.hasSession(named)) return refuse(response, SESSION_UNKNOWN);
    const wait = parts.tooSoon(caller, named);
    if (wait === undefined) return parts.handle(request, response, caller, named);
    response.setHeader('retry-after', retryAfterSeconds(wait.retryAfterMs));
    refuse(response, tooSoon(wait.retryAfterMs));
  };
}

const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const NO_SESSION_NAMED: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Which session? Name it in the path, /v1/mcp/{id}, or in the header MCP-Session-Id.',
  status: 400,
};

const SESSION_UNKNOWN: RpcFailure = {
  code: RPC.notExecuted,
  message: 'There is no such session, or it has expired.',
  data: {
    code: 'SESSION_UNKNOWN',
    outcome: 'not_executed',
    hint: 'The app has to create a new session; use the address that it gets.',
  },
  status: 404,
};

const tooSoon = (retryAfterMs: number): RpcFailure => ({
  code: RPC.notExecuted,
  message: 'Too many requests in a short time. Nothing was run.',
  data: {
    code: 'RATE_LIMITED',
    outcome: 'not_executed',
    retryAfterMs,
    hint: `Repeat it in ${retryAfterSeconds(retryAfterMs)} s.`,
  },
  status: 429,
});
