/**
 * MCP over Streamable HTTP: one POST per message in either era, detected from the message; GET and DELETE for legacy
 * sessions.
 */
import { ShortLivedMap } from '../lib/short-lived-map.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../core/caller.ts';
import type { View } from '../core/catalog/catalog.ts';
import type { Limits } from '../core/limits.ts';
import type { Log } from '../core/ports.ts';
import { LEGACY_VERSIONS, MODERN_VERSION } from '../core/protocol.ts';
import { asBytes, type ByteText } from '../core/wire/byte-text.ts';
import type { Dispatch } from './dispatch.ts';
import { HttpGet, HttpWatch } from './http-streams.ts';
import { header } from '../http/header.ts';
import { HttpPost } from './http-post.ts';
import { type Arrival, type HttpHost, type HttpReply, reviveSession } from './http-reply.ts';
import { NO_SESSION, errorText, type RpcFailure } from './reply.ts';
import type { OnClient } from './legacy-client.ts';
import { unsupported } from './modern-envelope.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Slots } from './slots.ts';

export interface McpHttpParts {
  readonly dispatch: Dispatch;
  /** Sessions of legacy clients; if undefined, every request is independent. */
  readonly sessions: Sessions | undefined;
  readonly slots: Slots;
  readonly limits: Limits;
  readonly log: Log;
  readonly elapsed: () => number;
  readonly onClient: OnClient;
  /** The surface in the record; default `http`. */
  readonly surface?: string;
  /** Whether the credential of a request is still valid. */
  isValid(request: IncomingMessage, caller: Caller): boolean;
  /** Whether the view still exists; absent if views never end. */
  isThere?(view: View): boolean;
  /** The answer to a legacy message whose `params` are not an object; absent for an error. */
  onBadParams?(message: ByteText, id: ByteText): ByteText | undefined;
  /** Answers a refused request. */
  refuse(response: ServerResponse, failure: RpcFailure, text: ByteText): void;
}

export interface McpHttp {
  readonly handle: (request: IncomingMessage, response: ServerResponse, caller: Caller, view: View) => void;
  /** Ends the requests and streams whose credential was revoked or whose view has ended, and cancels their calls. */
  endRevoked(): void;
  close(): void;
}

export type McpHttpOptions = Omit<McpHttpParts, 'refuse'> & {
  onRejected(status: number): void;
};

/** How often open requests are checked: one timer for all is cheaper than one per call. */
const CHECK_MS = 500;

export function createMcpHttp(options: McpHttpOptions): McpHttp {
  const { sessions, slots, limits, elapsed } = options;
  const parts: McpHttpParts = { ...options, refuse };
  const open = new ShortLivedMap<HttpReply, HttpReply>();
  const listening = new Set<HttpGet | HttpWatch>();
  const host: HttpHost = {
    parts,
    borrow(session) {
      for (const reply of open.values()) if (reply.carries(session)) return reply;
      return undefined;
    },
    linger(reply) {
      if (!slots.streams.take(reply.caller.id)) return false;
      reply.holding = 'stream';
      slots.release(reply.caller.id);
      return true;
    },
    pause(reply) {
      if (reply.holding === 'slot' && slots.pause(reply.caller.id)) reply.holding = 'pause';
    },
    goOn(reply) {
      if (reply.holding !== 'pause') return;
      reply.holding = 'slot';
      slots.goOn(reply.caller.id);
    },
    onClosed(reply) {
      open.delete(reply);
      const { id } = reply.caller;
      if (reply.holding === 'slot') slots.release(id);
      else if (reply.holding === 'stream') slots.streams.release(id);
      else if (reply.holding === 'pause') slots.paused.release(id);
    },
  };

  function refuse(response: ServerResponse, failure: RpcFailure, text: ByteText): void {
    options.onRejected(failure.status);
    if (response.destroyed) return;
    const headers = ['content-type', 'application/json', 'content-length', String(text.length)];
    if (failure.status === 405)
      headers.push('allow', sessions === undefined ? 'POST, GET' : 'POST, GET, DELETE');
    if (failure.status === 503) headers.push('retry-after', '1');
    // Do not wait for the rest of a refused body: close the connection.
    if (failure.status === 408 || failure.status === 413) headers.push('connection', 'close');
    response.writeHead(failure.status, headers).end(asBytes(text), 'latin1');
  }

  function begin(arrival: Arrival, hasSlot: boolean, isLate: boolean): void {
    // The client disconnected while it waited for a slot.
    if (arrival.response.destroyed) {
      if (hasSlot) slots.release(arrival.caller.id);
      return;
    }
    const post = new HttpPost(host, arrival, hasSlot ? 'slot' : 'nothing');
    open.set(post, post);
    post.start();
    // The credential may have been revoked while it waited for a slot.
    if (isLate) post.endIfRevoked();
  }

  /** GET and DELETE of a legacy session need no slot: GET takes a stream, DELETE ends the session. */
  function onSession(arrival: Arrival, id: string): void {
    const { request, response, caller } = arrival;
    const version = header(request.headers['mcp-protocol-version']);
    if (version !== undefined && !LEGACY_VERSIONS.includes(version))
      return refuse(response, unsupported(version), errorText(undefined, unsupported(version)));
    const isGet = request.method === 'GET';
    const session = sessions?.find(id, caller.id) ?? (isGet ? reviveSession(host, arrival, id) : undefined);
    if (session === undefined) return refuse(response, NO_SESSION, errorText(undefined, NO_SESSION));
    if (isGet) return listen(arrival, session);
    sessions?.end(session);
    request.resume();
    response.writeHead(204).end();
  }

  function listen(arrival: Arrival, session?: Session): void {
    const get = session === undefined ? new HttpWatch(parts, arrival) : new HttpGet(parts, arrival, session);
    if (get.start(() => listening.delete(get))) listening.add(get);
  }

  const timer = setInterval(
    () => {
      const now = elapsed();
      for (const reply of open.values()) reply.check(now);
      for (const get of listening) get.check(now);
      sessions?.sweep();
    },
    Math.min(CHECK_MS, limits.bodyTimeoutMs / 2, limits.keepAliveMs / 2),
  ).unref();

  return {
    handle(request, response, caller, view) {
      const arrival = { request, response, caller, view };
      const { method, headers } = request;
      const isModern = header(headers['mcp-protocol-version']) === MODERN_VERSION;
      if (sessions === undefined) {
        if (method === 'GET' && !isModern) return listen(arrival);
      } else if (method === 'GET' || method === 'DELETE') {
        const session = header(headers['mcp-session-id']);
        if (session !== undefined && !isModern) return onSession(arrival, session);
      }
      if (slots.tryTake(caller.id)) return begin(arrival, true, false);
      slots.take(
        caller.id,
        () => begin(arrival, true, true),
        () => begin(arrival, false, true),
      );
    },
    endRevoked() {
      for (const each of [...listening, ...open.values()]) each.endIfRevoked();
    },
    close: () => clearInterval(timer),
  };
}
