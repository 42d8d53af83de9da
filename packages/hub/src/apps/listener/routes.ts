/** The paths of the proxy. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Visitor } from '../../core/app-bridge.ts';
import type { Answers } from './answers.ts';
import type { Keys } from './keys.ts';
import type { ProxyRoute } from './listener.ts';
import type { McpDoor } from './mcp-door.ts';
import type { Wait } from './rates.ts';
import { askedTooOften, wrongMethod } from './refusals.ts';
import type { SessionsApi } from './sessions-api.ts';

export interface ProxyRoutesParts {
  readonly answers: Answers;
  readonly keys: Pick<Keys, 'appOf' | 'mayComeFrom'>;
  readonly sessions: SessionsApi;
  readonly mcp: McpDoor;
  /** How long an app that asks too often has to wait. */
  tooSoon(key: Visitor): Wait | undefined;
  metrics(request: IncomingMessage, response: ServerResponse): void;
}

const SESSIONS = '/v1/chat/sessions';
const SESSION = /^\/v1\/chat\/sessions\/([^/]{1,128})(\/bridge)?$/;
const MCP = '/v1/mcp';
const MCP_SESSION = /^\/v1\/mcp\/([^/]{1,128})\/?$/;

export function createProxyRoutes(parts: ProxyRoutesParts): (path: string) => ProxyRoute | undefined {
  const { keys, sessions, answers } = parts;

  /** For whoever may register tools; `method` is the one that the path knows. */
  const ofApp =
    (method: string, handle: (request: IncomingMessage, response: ServerResponse, key: Visitor) => void) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const key = keys.appOf(request.headers);
      if (key === undefined) return answers.text(response, 401);
      const { origin } = request.headers;
      if (origin !== undefined && !keys.mayComeFrom(key.app, origin))
        return answers.text(response, 403, 'The page is not among the "origins" of this app.');
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
