/** MCP over Streamable HTTP: one POST per message, both eras, negotiated by what arrives. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.ts';
import type { View } from '../../core/catalog.ts';
import type { Limits } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import { MODERN_VERSION } from '../../core/protocol.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import type { Dispatch } from './dispatch.ts';
import { header, HttpPost, type PostHost } from './http-post.ts';
import { NO_SESSION, NO_SLOT, WRONG_METHOD } from './http-refusals.ts';
import { errorText, type RpcFailure } from './reply.ts';
import type { Sessions } from './sessions.ts';
import type { Slots } from './slots.ts';

export interface McpHttpParts {
  readonly dispatch: Dispatch;
  readonly sessions: Sessions;
  readonly slots: Slots;
  readonly limits: Limits;
  readonly log: Log;
  /** Answers a request that is turned away. */
  refuse(response: ServerResponse, failure: RpcFailure, text: ByteText): void;
}

export interface McpHttp {
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller, view: View): void;
  close(): void;
}

export function createMcpHttp(
  options: Omit<McpHttpParts, 'refuse'> & { onRejected(status: number): void },
): McpHttp {
  const { sessions, slots, limits } = options;
  const open = new Set<HttpPost>();
  const host: PostHost = {
    parts: { ...options, refuse },
    onClosed(post) {
      open.delete(post);
      slots.release(post.caller.id);
    },
  };

  function refuse(response: ServerResponse, failure: RpcFailure, text: ByteText): void {
    options.onRejected(failure.status);
    if (response.destroyed) return;
    const headers = ['content-type', 'application/json', 'content-length', String(text.length)];
    if (failure.status === 405) headers.push('allow', 'POST, DELETE');
    if (failure.status === 503) headers.push('retry-after', '1');
    // What is left of a body that nobody wants is not waited for: the connection ends.
    if (failure.status === 408 || failure.status === 413) headers.push('connection', 'close');
    response.writeHead(failure.status, headers).end(text, 'latin1');
  }

  function onDelete(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    const id = header(request.headers['mcp-session-id']);
    const isModern = header(request.headers['mcp-protocol-version']) === MODERN_VERSION;
    if (id === undefined || isModern)
      return refuse(response, WRONG_METHOD, errorText(undefined, WRONG_METHOD));
    const session = sessions.find(id, caller.id);
    if (session === undefined) return refuse(response, NO_SESSION, errorText(undefined, NO_SESSION));
    sessions.end(session);
    response.writeHead(204).end();
  }

  const keepAlive = everyRound(open, limits.keepAliveMs, (post) => post.keepAlive());
  const expiry = everyRound(open, limits.bodyTimeoutMs, (post) => post.expireBody());

  return {
    handle(request, response, caller, view) {
      if (request.method === 'POST')
        slots.take(
          caller.id,
          () => {
            const post = new HttpPost(host, request, response, caller, view);
            open.add(post);
            post.start();
          },
          () => refuse(response, NO_SLOT, errorText(undefined, NO_SLOT)),
        );
      else if (request.method === 'DELETE') onDelete(request, response, caller);
      else refuse(response, WRONG_METHOD, errorText(undefined, WRONG_METHOD));
    },
    close() {
      clearInterval(keepAlive);
      clearInterval(expiry);
    },
  };
}

/** Acts on what has been there for a whole period: one timer for all, where one each would cost every call. */
function everyRound(
  open: ReadonlySet<HttpPost>,
  periodMs: number,
  action: (post: HttpPost) => void,
): NodeJS.Timeout {
  let before = new Set<HttpPost>();
  return setInterval(() => {
    for (const post of before) if (open.has(post)) action(post);
    before = new Set(open);
  }, periodMs).unref();
}
