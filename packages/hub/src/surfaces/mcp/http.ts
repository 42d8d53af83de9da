/** MCP over Streamable HTTP: one POST per message, both eras, negotiated by what arrives. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.ts';
import type { View } from '../../core/catalog.ts';
import type { Limits } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import { MODERN_VERSION } from '../../core/protocol.ts';
import { asBytes, type ByteText } from '../../core/wire/byte-text.ts';
import type { Dispatch } from './dispatch.ts';
import { header, HttpPost, type Arrival, type PostHost } from './http-post.ts';
import { NO_SESSION } from './http-refusals.ts';
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

export type McpHttpOptions = Omit<McpHttpParts, 'refuse'> & {
  readonly elapsed: () => number;
  onRejected(status: number): void;
};

/** How often open requests are looked at: one timer for all, where one each would cost every call. */
const CHECK_MS = 500;

export function createMcpHttp(options: McpHttpOptions): McpHttp {
  const { sessions, slots, limits, elapsed } = options;
  const open = new Set<HttpPost>();
  const host: PostHost = {
    parts: { ...options, refuse },
    onClosed(post) {
      open.delete(post);
      if (post.hasSlot) slots.release(post.caller.id);
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
    response.writeHead(failure.status, headers).end(asBytes(text), 'latin1');
  }

  function begin(arrival: Arrival, hasSlot: boolean): void {
    // Gone while it waited for a slot.
    if (arrival.response.destroyed) {
      if (hasSlot) slots.release(arrival.caller.id);
      return;
    }
    const post = new HttpPost(host, arrival, hasSlot, elapsed());
    open.add(post);
    post.start();
  }

  /** Ends a legacy session. It needs no slot: it gives some back. */
  function endSession({ request, response, caller }: Arrival, id: string): void {
    const session = sessions.find(id, caller.id);
    if (session === undefined) return refuse(response, NO_SESSION, errorText(undefined, NO_SESSION));
    sessions.end(session);
    request.resume();
    response.writeHead(204).end();
  }

  const timer = setInterval(
    () => {
      const now = elapsed();
      for (const post of open) post.check(now);
    },
    Math.min(CHECK_MS, limits.bodyTimeoutMs / 2, limits.keepAliveMs / 2),
  ).unref();

  return {
    handle(request, response, caller, view) {
      const arrival = { request, response, caller, view };
      const { headers } = request;
      const session = header(headers['mcp-session-id']);
      const isModern = header(headers['mcp-protocol-version']) === MODERN_VERSION;
      if (request.method === 'DELETE' && session !== undefined && !isModern)
        return endSession(arrival, session);
      slots.take(
        caller.id,
        () => begin(arrival, true),
        () => begin(arrival, false),
      );
    },
    close: () => clearInterval(timer),
  };
}
