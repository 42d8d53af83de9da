/** The paths of the proxy, and the session API: `POST /v1/chat/sessions` and `DELETE /v1/chat/sessions/{id}`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Visitor } from '../../core/app-bridge.ts';
import type { Answers } from './answers.ts';
import type { Keys } from './keys.ts';
import type { ProxyRoute } from './listener.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import type { Wait } from './rate-limits.ts';
import { askedTooOften, badBody, notJson, sessionUnknown, wrongMethod } from '../refusals.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { isJsonType } from '../../http/header.ts';

interface ProxyRoutesParts {
  readonly answers: Answers;
  readonly keys: Pick<Keys, 'appOf' | 'mayComeFrom'>;
  readonly sessions: SessionsApi;
  readonly mcp: McpEndpoint;
  /** The wait for an app that exceeds its rate. */
  tooSoon(key: Visitor): Wait | undefined;
  metrics(request: IncomingMessage, response: ServerResponse): void;
}

const SESSIONS = '/v1/chat/sessions';
const SESSION = /^\/v1\/chat\/sessions\/([^/]{1,128})(\/bridge)?$/;
const MCP = '/v1/mcp';
const MCP_SESSION = /^\/v1\/mcp\/([^/]{1,128})\/?$/;

export function createProxyRoutes(parts: ProxyRoutesParts): (path: string) => ProxyRoute | undefined {
  const { keys, sessions, answers } = parts;

  /** Requires an app's token and this method. */
  const ofApp =
    (method: string, handle: (request: IncomingMessage, response: ServerResponse, key: Visitor) => void) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const key = keys.appOf(request.headers);
      if (key === undefined) return answers.text(response, 401);
      const { origin } = request.headers;
      if (origin !== undefined && !keys.mayComeFrom(key.app, origin))
        return answers.text(response, 403, 'This origin is not among the "origins" of the app.');
      if (request.method !== method) {
        response.setHeader('allow', method);
        return answers.error(response, wrongMethod(method), 405);
      }
      const wait = parts.tooSoon(key);
      if (wait === undefined) return handle(request, response, key);
      answers.error(response, askedTooOften(wait.retryAfterMs));
    };

  const create: ProxyRoute = { handle: ofApp('POST', (...asked) => sessions.create(...asked)) };
  const health: ProxyRoute = {
    handle({ method }, response) {
      if (method === 'GET' || method === 'HEAD') return answers.text(response, 200, 'ok');
      response.setHeader('allow', 'GET');
      answers.text(response, 405, 'Use GET.');
    },
  };
  const metrics: ProxyRoute = { handle: (request, response) => parts.metrics(request, response) };
  const mcp = (id?: string): ProxyRoute => ({
    handle: (request, response) => parts.mcp(request, response, id),
  });
  const byHeader = mcp();

  return (path) => {
    if (path === MCP || path === `${MCP}/`) return byHeader;
    const ofMcp = MCP_SESSION.exec(path)?.[1];
    if (ofMcp !== undefined) return mcp(ofMcp);
    if (path === '/health') return health;
    if (path === '/metrics') return metrics;
    if (path === SESSIONS || path === `${SESSIONS}/`) return create;
    const [, id, bridge] = SESSION.exec(path) ?? [];
    if (id === undefined) return undefined;
    return bridge === undefined
      ? { handle: ofApp('DELETE', (_request, response, key) => sessions.remove(response, key, id)) }
      : {
          handle: (_request, response) => answers.text(response, 426, 'Connect here with a WebSocket.'),
          bridgeOf: id,
        };
  };
}

interface SessionsApiParts {
  readonly answers: Answers;
  readonly limits: Pick<Limits, 'maxRegistrationBytes' | 'bodyTimeoutMs'>;
  /** Resolves to the id of the new session. Rejects with the error in the registration. */
  register(key: Visitor, body: ByteText): Promise<string>;
  /** Resolves to false if the app has no such session. */
  remove(key: Visitor, id: string): Promise<boolean>;
  /** The address of the proxy as the app can reach it: `http://host:port`. */
  addressOf(request: IncomingMessage): string;
}

interface SessionsApi {
  create(request: IncomingMessage, response: ServerResponse, key: Visitor): void;
  remove(response: ServerResponse, key: Visitor, id: string): void;
}

export function createSessionsApi(parts: SessionsApiParts): SessionsApi {
  const { answers } = parts;
  const { maxRegistrationBytes, bodyTimeoutMs } = parts.limits;

  async function create(request: IncomingMessage, response: ServerResponse, key: Visitor): Promise<void> {
    const body = await readBody(request, { maxBytes: maxRegistrationBytes, timeoutMs: bodyTimeoutMs });
    if (body === undefined) return;
    if (typeof body !== 'string') {
      // The rest of the body is not read.
      response.setHeader('connection', 'close');
      return answers.error(response, badBody(body.reason), body.status);
    }
    const id = await parts.register(key, body);
    const address = parts.addressOf(request);
    answers.json(response, 200, {
      mcpSessionId: id,
      bridge_url: `${address.replace(/^http/, 'ws')}/v1/chat/sessions/${id}/bridge`,
      mcp_url: `${address}/v1/mcp/${id}`,
    });
  }

  async function remove(response: ServerResponse, key: Visitor, id: string): Promise<void> {
    if (await parts.remove(key, id)) answers.json(response, 200, { ok: true });
    else answers.error(response, sessionUnknown());
  }

  return {
    create(request, response, key) {
      if (!isJsonType(request.headers['content-type'])) return answers.error(response, notJson(), 415);
      create(request, response, key).catch((error: unknown) =>
        answers.error(response, PincerError.from(error)),
      );
    },
    remove(response, key, id) {
      remove(response, key, id).catch((error: unknown) => answers.error(response, PincerError.from(error)));
    },
  };
}

/** Why a body was not read. */
interface BodyRefusal {
  readonly status: 408 | 413;
  /** The end of a sentence that begins with `body:`. */
  readonly reason: string;
}

interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Undefined if the client has disconnected. */
function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<ByteText | BodyRefusal | undefined> {
  const tooLarge: BodyRefusal = { status: 413, reason: `has more than ${maxBytes} bytes` };
  if (Number(request.headers['content-length']) > maxBytes) return Promise.resolve(tooLarge);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => resolve({ status: 408, reason: 'took too long to arrive' }), timeoutMs);
    const end = (read: ByteText | BodyRefusal | undefined): void => {
      clearTimeout(timer);
      resolve(read);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) end(tooLarge);
      else chunks.push(chunk);
    });
    request.on('end', () => end(Buffer.concat(chunks).toString('latin1')));
    request.on('close', () => end(undefined));
  });
}
