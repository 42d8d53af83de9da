/** MCP over Streamable HTTP: one POST per message, both eras, negotiated by what arrives. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.ts';
import type { View } from '../../core/catalog.ts';
import type { Limits } from '../../core/limits.ts';
import { LEGACY_VERSIONS, MODERN_VERSION, RPC, type Era } from '../../core/protocol.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { parseMessage, type Message } from '../../core/wire/message.ts';
import { readBody } from './body.ts';
import type { Dispatch } from './dispatch.ts';
import { HttpReply } from './http-reply.ts';
import { malformed } from './malformed.ts';
import { checkEnvelope, checkHeaders, envelopeVersion, unsupported } from './modern-envelope.ts';
import { errorText, type RpcFailure } from './reply.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Slots } from './slots.ts';

export interface McpHttpParts {
  readonly dispatch: Dispatch;
  readonly sessions: Sessions;
  readonly slots: Slots;
  readonly limits: Limits;
  /** Told of every request that was turned away. */
  onRejected(status: number): void;
}

export interface McpHttp {
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller, view: View): void;
  close(): void;
}

export function createMcpHttp(parts: McpHttpParts): McpHttp {
  const { dispatch, sessions, slots, limits } = parts;
  /** Answers that are still owed, oldest first. */
  const owed = new Set<HttpReply>();
  let seen = new Set<HttpReply>();
  const keepAlive = setInterval(() => {
    for (const reply of owed) if (seen.has(reply)) reply.keepAlive();
    seen = new Set(owed);
  }, limits.keepAliveMs / 2).unref();

  function reject(response: ServerResponse, failure: RpcFailure, id?: ByteText): void {
    parts.onRejected(failure.status);
    const text = errorText(id, failure);
    const headers = ['content-type', 'application/json', 'content-length', String(text.length)];
    if (failure.status === 405) headers.push('allow', 'POST, DELETE');
    if (failure.status === 503) headers.push('retry-after', '1');
    // What is left of a body that nobody wants is not read: the connection ends.
    if (failure.status === 408 || failure.status === 413) headers.push('connection', 'close');
    response.writeHead(failure.status, headers).end(text, 'latin1');
  }

  function onPost(request: IncomingMessage, response: ServerResponse, caller: Caller, view: View): void {
    const release = once(() => slots.release(caller.id));
    const refuse = (failure: RpcFailure, id?: ByteText): void => {
      reject(response, failure, id);
      release();
    };
    if (!isJson(request.headers['content-type'])) return refuse(NOT_JSON);
    // A client that leaves while it still sends its body never gets as far as an answer.
    request.once('close', () => {
      if (!request.complete) release();
    });
    readBody(
      request,
      limits,
      (body) => {
        let message: Message;
        try {
          message = parseMessage(body);
          onMessage(message, request, response, caller, view, refuse, release);
        } catch (error) {
          const { failure, id } = malformed(error);
          refuse(failure, id);
        }
      },
      (status) => refuse(status === 413 ? tooLarge(limits.maxMessageBytes) : TOO_SLOW),
    );
  }

  // oxlint-disable-next-line max-params -- one request, spelled out
  function onMessage(
    message: Message,
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    view: View,
    refuse: (failure: RpcFailure, id?: ByteText) => void,
    release: () => void,
  ): void {
    const { headers } = request;
    const version = header(headers['mcp-protocol-version']);
    const era = eraOf(message, version);
    let session: Session | undefined;
    if (era === 'modern') {
      const failure = message.id === undefined ? undefined : checkModern(message, headers);
      if (failure !== undefined) return refuse(failure, message.id);
    } else {
      if (version !== undefined && !LEGACY_VERSIONS.includes(version))
        return refuse(unsupported(version), message.id);
      const sessionId = header(headers['mcp-session-id']);
      session = message.method === 'initialize' ? sessions.create(caller.id) : undefined;
      if (session === undefined && sessionId !== undefined) {
        session = sessions.find(sessionId, caller.id);
        if (session === undefined) return refuse(NO_SESSION, message.id);
      }
    }
    const reply = new HttpReply({
      response,
      canStream: headers.accept?.includes('text/event-stream') ?? false,
      maxUnsentBytes: limits.maxUnsentToClientBytes,
      onDone(done) {
        owed.delete(done);
        release();
      },
    });
    if (message.method === 'initialize') reply.sessionId = session?.id;
    owed.add(reply);
    const sender = {
      caller,
      surface: 'http',
      view,
      era,
      session: session?.id,
      canNotify: false,
      running: session?.running ?? new Map(),
    };
    const running = dispatch(message, sender, reply);
    if (running !== undefined)
      response.once('close', () => {
        if (!response.writableFinished) running.cancel('the client went away');
      });
  }

  function onDelete(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    const id = header(request.headers['mcp-session-id']);
    if (id === undefined || header(request.headers['mcp-protocol-version']) === MODERN_VERSION)
      return reject(response, WRONG_METHOD);
    const session = sessions.find(id, caller.id);
    if (session === undefined) return reject(response, NO_SESSION);
    sessions.end(session);
    response.writeHead(204).end();
  }

  return {
    handle(request, response, caller, view) {
      if (request.method === 'POST')
        slots.take(
          caller.id,
          () => onPost(request, response, caller, view),
          () => reject(response, NO_SLOT),
        );
      else if (request.method === 'DELETE') onDelete(request, response, caller);
      else reject(response, WRONG_METHOD);
    },
    close: () => clearInterval(keepAlive),
  };
}

const checkModern = (message: Message, headers: IncomingMessage['headers']): RpcFailure | undefined =>
  checkHeaders(message, {
    'mcp-protocol-version': header(headers['mcp-protocol-version']),
    'mcp-method': header(headers['mcp-method']),
    'mcp-name': header(headers['mcp-name']),
  }) ?? checkEnvelope(message);

const eraOf = (message: Message, version: string | undefined): Era =>
  version === MODERN_VERSION || message.method === 'server/discover' || envelopeVersion(message) !== undefined
    ? 'modern'
    : 'legacy';

const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const isJson = (type: string | undefined): boolean =>
  type !== undefined && /^application\/json *(;|$)/i.test(type);

const once = (action: () => void): (() => void) => {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
};

const NOT_JSON: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Content-Type must be application/json.',
  status: 415,
};
const NO_SLOT: RpcFailure = {
  code: RPC.notExecuted,
  message: 'Too many calls are running. Nothing was run; try again in a moment.',
  status: 503,
};
const NO_SESSION: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Unknown session: initialize again.',
  status: 404,
};
const TOO_SLOW: RpcFailure = {
  code: RPC.notExecuted,
  message: 'The body took too long to arrive.',
  status: 408,
};
const WRONG_METHOD: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Use POST with a JSON-RPC message.',
  status: 405,
};
const tooLarge = (maxBytes: number): RpcFailure => ({
  code: RPC.invalidRequest,
  message: `The body is larger than ${maxBytes} bytes.`,
  status: 413,
});
