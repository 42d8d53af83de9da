/** The proxy's listener: the gate, and the routes behind it. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasCode, PincerError } from '../../core/errors.ts';
import { allowOrigin, answerPreflight, retryAfterSeconds, sendText } from './answers.ts';
import type { BridgeDoor } from './bridge-door.ts';
import type { Visitor } from '../../core/app-bridge.ts';
import type { Keys } from './keys.ts';
import { checkProxyKnock } from './knock.ts';
import type { Refusal } from '../gate.ts';

const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** What a path leads to. */
export interface ProxyRoute {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** The session whose bridge is here. */
  readonly bridgeOf?: string;
}

export interface ProxyListenerParts {
  readonly host: string;
  /** The same as it is reached from this machine, in front of the port. */
  readonly address: string;
  readonly port: number;
  /** Names that it is reached by besides those of this machine. */
  readonly hosts: readonly string[];
  readonly maxSockets: number;
  readonly keys: Pick<Keys, 'isKnownOrigin' | 'mayComeFrom' | 'appOf'>;
  readonly bridges: BridgeDoor;
  /** How long an app that comes too often has to wait. */
  tooSoon(key: Visitor): { readonly retryAfterMs: number } | undefined;
  /** The route of a path; the path has no query. */
  route(path: string): ProxyRoute | undefined;
  onRequest(): void;
  onRejected(status: number): void;
}

export interface ProxyListener {
  readonly port: number;
  /** No new connection, no new request on an old one; what is under way goes on. */
  stopAccepting(): void;
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 65_000;

export async function openProxyListener(parts: ProxyListenerParts): Promise<ProxyListener> {
  const { keys, bridges } = parts;
  let { port } = parts;
  let isStopping = false;

  const knock = ({ headers }: IncomingMessage): Refusal | undefined =>
    checkProxyKnock(
      { host: headers.host, origin: headers.origin, fetchSite: header(headers['sec-fetch-site']) },
      {
        port,
        address: parts.address,
        hosts: parts.hosts,
        isKnownOrigin: (origin) => keys.isKnownOrigin(origin),
      },
    );

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => undefined);
    parts.onRequest();
    const refuse = (status: number, reason: string): void => {
      parts.onRejected(status);
      sendText(response, status, reason);
    };
    if (isStopping) return refuse(503, 'The hub is stopping.');
    const refusal = knock(request);
    if (refusal !== undefined) return refuse(refusal.status, refusal.reason);
    allowOrigin(request, response);
    if (request.method === 'OPTIONS' && request.headers.origin !== undefined)
      return answerPreflight(request, response);
    const route = parts.route(pathOf(request));
    if (route === undefined) return refuse(404, 'There is nothing at this path.');
    route.handle(request, response);
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const refuse = (status: number, more = ''): void => {
      parts.onRejected(status);
      socket.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${more}Content-Length: 0\r\n\r\n`,
        // Node looks after it no longer: whoever does not close their half would keep it.
        () => socket.destroy(),
      );
    };
    if (isStopping) return refuse(503);
    if (knock(request) !== undefined) return refuse(403);
    const id = parts.route(pathOf(request))?.bridgeOf;
    if (id === undefined) return refuse(404);
    const key = keys.appOf(request.headers);
    const { origin } = request.headers;
    if (key !== undefined && origin !== undefined && !keys.mayComeFrom(key.app, origin)) return refuse(403);
    const wait = key && parts.tooSoon(key);
    if (wait !== undefined) return refuse(429, `Retry-After: ${retryAfterSeconds(wait.retryAfterMs)}\r\n`);
    bridges.open({ request, socket, head }, key, id);
  }

  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: 0,
      noDelay: true,
      joinDuplicateHeaders: true,
      // Anything else that a client would upgrade to, h2c say, is an ordinary request.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    onRequest,
  );
  server.maxConnections = parts.maxSockets;
  server.on('upgrade', onUpgrade);
  await listen(server, parts.host, port);
  port = (server.address() as AddressInfo).port;
  return {
    port,
    stopAccepting() {
      isStopping = true;
      server.close();
    },
    close: () =>
      new Promise((resolve) => {
        if (!server.listening) resolve();
        server.close(() => resolve());
        bridges.close();
        server.closeAllConnections();
      }),
  };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, host, port)));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function explain(error: Error, host: string, port: number): Error {
  if (hasCode(error, 'EADDRINUSE'))
    return new PincerError('PORT_BUSY', `Port ${port} is in use by another program.`, {
      hint: 'Set "proxy.port" to another port; 0 takes a free one. "proxy.enabled": false leaves the app proxy out.',
      data: { port },
    });
  if (hasCode(error, 'EADDRNOTAVAIL') || hasCode(error, 'ENOTFOUND'))
    return new PincerError('CONFIG_INVALID', `This machine has no address ${host} to listen on.`, {
      hint: 'Set "proxy.host" to an address of this machine, such as 127.0.0.1 or 0.0.0.0.',
      data: { path: 'proxy.host' },
    });
  return error;
}
