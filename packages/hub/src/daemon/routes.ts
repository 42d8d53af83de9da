import type { ServerResponse } from 'node:http';
import { DEVICE_SOURCE, mayUseSomeOf } from '../core/caller.ts';
import type { Catalog } from '../core/catalog/catalog.ts';
import type { Credentials } from '../core/credentials.ts';
import { NO_ORDERS_HEADER, STDIO_END_HEADER, STDIO_PROTOCOL } from '../core/protocol.ts';
import { CONTROL_PATH } from '../control/control.ts';
import type { Handler, Route } from '../http/local-listener.ts';
import type { McpHttp } from '../mcp/http.ts';
import { serveStdio, type McpStdioParts } from '../mcp/stdio.ts';

export interface RouteParts {
  readonly catalog: Catalog;
  readonly credentials: Credentials;
  readonly adminCredentials: Credentials;
  readonly mcpHttp: McpHttp;
  readonly stdio: McpStdioParts;
  readonly control: Handler;
  /** Handles `/`. Undefined if this machine is not offered there now. */
  device(): Handler | undefined;
  readonly version: string;
  readonly metricsType: string;
  renderMetrics(): string;
  /** Called when a client opens a pipe. */
  onAttached(): void;
  onDetached(): void;
}

export function createRoutes(parts: RouteParts): (path: string) => Route | undefined {
  const { credentials, adminCredentials, mcpHttp, catalog } = parts;
  const mcp = (view: string | undefined): Route => ({
    credentials,
    allows: ({ scopes }) => view === undefined || mayUseSomeOf(scopes, view),
    handle: mcpHttp.handle,
    view,
    upgrade: {
      protocol: STDIO_PROTOCOL,
      handle({ socket, caller, headers, isValid }) {
        parts.onAttached();
        socket.once('close', () => parts.onDetached());
        const mark = headers[STDIO_END_HEADER];
        serveStdio(parts.stdio, socket, {
          caller:
            headers[NO_ORDERS_HEADER] === undefined
              ? caller
              : { ...caller, scopes: { ...caller.scopes, noOrders: true } },
          view,
          endMark: typeof mark === 'string' ? mark : undefined,
          isValid,
        });
      },
    },
  });
  const hub = mcp(undefined);
  const health: Route = {
    handle: (request, response) =>
      get(request.method, response, 'application/json', () =>
        JSON.stringify({ status: 'ok', version: parts.version }),
      ),
  };
  const metrics: Route = {
    credentials,
    // Metrics name every server.
    allows: ({ scopes }) => Object.keys(scopes).length === 0,
    handle: (request, response) =>
      get(request.method, response, parts.metricsType, () => parts.renderMetrics()),
  };
  const control: Route = { credentials: adminCredentials, handle: parts.control };
  const device: Route = {
    credentials,
    allows: ({ scopes }) => mayUseSomeOf(scopes, DEVICE_SOURCE),
    handle: (...arrived) => parts.device()?.(...arrived),
  };
  const servers = new Map<string, Route>();

  return (path) => {
    if (path === '/mcp') return hub;
    if (path === '/') return parts.device() && device;
    if (path === '/health') return health;
    if (path === '/metrics') return metrics;
    if (path.startsWith(CONTROL_PATH)) return control;
    const server = path.startsWith('/mcp/') ? path.slice('/mcp/'.length) : '';
    if (!catalog.has(server)) return undefined;
    const route = servers.get(server) ?? mcp(server);
    servers.set(server, route);
    return route;
  };
}

function get(method: string | undefined, response: ServerResponse, type: string, text: () => string): void {
  if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET' }).end();
  else response.writeHead(200, { 'content-type': type }).end(method === 'GET' ? text() : '');
}
