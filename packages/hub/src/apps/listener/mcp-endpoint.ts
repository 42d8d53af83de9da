/** `/v1/mcp/{id}`, and `/v1/mcp` with `MCP-Session-Id`: authenticates the caller and finds the session, once per request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../../core/caller.ts';
import { PincerError } from '../../core/errors.ts';
import { asBytes } from '../../core/wire/byte-text.ts';
import { errorText, type RpcFailure } from '../../mcp/reply.ts';
import { header } from '../../http/header.ts';
import type { Session, SessionDirectory } from '../directory/session-directory.ts';
import type { Answers } from './answers.ts';
import type { Keys } from './keys.ts';
import type { Wait } from './rate-limits.ts';
import {
  askedTooOften,
  asRpcFailure,
  NO_SESSION_NAMED,
  retryAfterSeconds,
  sessionUnknown,
} from '../refusals.ts';

export interface McpEndpointParts {
  readonly answers: Answers;
  readonly keys: Pick<Keys, 'callerOf' | 'version'>;
  /** The session of a request is looked up only here. */
  readonly directory: Pick<SessionDirectory, 'find' | 'renew'>;
  /** The wait for a caller or session that exceeds its rate. */
  tooSoon(caller: Caller, session: Session): Wait | undefined;
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller, session: Session): void;
  onFailed(error: unknown): void;
  onRejected(status: number): void;
}

/** `id` comes from the path, and overrides the header. */
export type McpEndpoint = (
  request: IncomingMessage,
  response: ServerResponse,
  id: string | undefined,
) => void;

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
}

export function createMcpEndpoint(parts: McpEndpointParts): McpEndpoint {
  const { keys, directory } = parts;
  /** Authenticated callers by connection; invalid as soon as any token changes. */
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

  function enter({ request, response, caller }: Arrival, session: Session | undefined): void {
    // During the lookup, the client may have disconnected, or its token may have been revoked.
    if (response.destroyed) return;
    if (authenticate(request) === undefined) return parts.answers.text(response, 401);
    if (session === undefined) return refuse(response, asRpcFailure(sessionUnknown(), 404));
    directory.renew(session).catch(parts.onFailed);
    const wait = parts.tooSoon(caller, session);
    if (wait === undefined) return parts.handle(request, response, caller, session);
    response.setHeader('retry-after', retryAfterSeconds(wait.retryAfterMs));
    refuse(response, asRpcFailure(askedTooOften(wait.retryAfterMs), 429));
  }

  return (request, response, id) => {
    const caller = authenticate(request);
    if (caller === undefined) return parts.answers.text(response, 401);
    const named = id ?? header(request.headers['mcp-session-id']);
    if (named === undefined || named === '') return refuse(response, NO_SESSION_NAMED);
    directory
      .find(named)
      .then((session) => enter({ request, response, caller }, session))
      .catch((error: unknown) => {
        parts.onFailed(error);
        if (!response.headersSent) refuse(response, asRpcFailure(PincerError.from(error), 503));
      });
  };
}
