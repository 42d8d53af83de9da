/** The local listener: the gate and the routes behind it. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Caller } from '../core/caller.ts';
import type { View } from '../core/catalog/catalog.ts';
import type { Credentials } from '../core/credentials.ts';
import { hasCode, PincerError } from '../core/errors.ts';
import { STDIO_PROTOCOL } from '../core/protocol.ts';
import { checkGate } from './gate.ts';
import { closeServer, listen, makeHttpServer, pathOf, refuseUpgrade } from './http-server.ts';

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
  view: View,
) => void;
export interface Upgraded {
  readonly socket: Duplex;
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  /** Whether the credential that opened the connection is still valid. */
  isValid(): boolean;
}

export interface Route {
  /** The credentials that open it; absent: open to every program on this machine. */
  readonly credentials?: Credentials;
  /** Which of these callers may see it. To the others it does not exist. */
  allows?(caller: Caller): boolean;
  readonly handle: Handler;
  /** The view for the handler. */
  readonly view?: View;
  /** Upgrades the connection to another protocol. */
  readonly upgrade?: { readonly protocol: string; handle(upgraded: Upgraded): void };
}

export interface ListenerParts {
  readonly port: number;
  /** Credentials that may learn that a path does not exist. */
  readonly credentials: Credentials;
  /** The route of a path without its query. */
  readonly route: (path: string) => Route | undefined;
  onRequest(): void;
  onRejected(status: number): void;
}

export interface LocalListener {
  readonly port: number;
  /** Requests admitted so far. */
  readonly requests: number;
  /** Refuses new connections and new requests. Running requests continue. */
  stopAccepting(): void;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const MAX_SOCKETS = 4_096;

const PROVEN = Symbol('proven');

interface ProvenSocket extends Socket {
  /** The caller that this connection has proven. Void as soon as any credential changes. */
  [PROVEN]?: { header: string; version: number; credentials: Credentials; caller: Caller };
}

const STOPPING = { status: 503, reason: 'The hub is stopping.' };

const ignore = (): void => undefined;

const ANONYMOUS: Caller = { id: '', name: '', scopes: {} };

export async function openLocalListener(parts: ListenerParts): Promise<LocalListener> {
  let port = parts.port;
  let requests = 0;
  let isStopping = false;
  const upgraded = new Set<Duplex>();
  function authenticate(request: IncomingMessage, credentials: Credentials): Caller | undefined {
    const header = request.headers.authorization;
    if (header === undefined) return undefined;
    const socket: ProvenSocket = request.socket;
    const known = socket[PROVEN];
    if (
      known?.header === header &&
      known.credentials === credentials &&
      known.version === credentials.version
    )
      return known.caller;
    const caller = credentials.authenticate(header);
    if (caller !== undefined) socket[PROVEN] = { header, version: credentials.version, credentials, caller };
    return caller;
  }

  /** Returns the route and the caller, or the status and reason of a refusal. */
  function admit(
    request: IncomingMessage,
  ): { route: Route; caller: Caller } | { status: number; reason: string } {
    const { headers, socket } = request;
    const path = pathOf(request);
    const refusal = checkGate({
      remoteAddress: socket.remoteAddress,
      origin: headers.origin,
      fetchSite: headers['sec-fetch-site'],
      host: headers.host,
      port,
      allowsOwnOrigin: (path === '/mcp' || path.startsWith('/mcp/')) && headers.upgrade === undefined,
    });
    if (refusal !== undefined) return refusal;
    const route = parts.route(path);
    if (route !== undefined && route.credentials === undefined) return { route, caller: ANONYMOUS };
    // Without a token, a client must not learn which paths exist.
    const caller = authenticate(request, route?.credentials ?? parts.credentials);
    if (caller === undefined) return { status: 401, reason: '' };
    return route === undefined || route.allows?.(caller) === false
      ? { status: 404, reason: 'Unknown path.' }
      : { route, caller };
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', ignore);
    parts.onRequest();
    const admitted = isStopping ? STOPPING : admit(request);
    if ('route' in admitted) {
      requests++;
      const { route, caller } = admitted;
      route.handle(request, response, caller, route.view);
      return;
    }
    const { status, reason } = admitted;
    parts.onRejected(status);
    const headers = [
      'content-type',
      'text/plain',
      'content-length',
      String(reason === '' ? 0 : reason.length + 1),
    ];
    if (status === 401) headers.push('www-authenticate', 'Bearer');
    response.writeHead(status, headers).end(reason === '' ? '' : `${reason}\n`);
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const refuse = (status: number): void => {
      parts.onRejected(status);
      refuseUpgrade(socket, status);
    };
    if (isStopping) return refuse(STOPPING.status);
    const admitted = admit(request);
    if ('status' in admitted) return refuse(admitted.status);
    const { route, caller } = admitted;
    const { upgrade, credentials } = route;
    if (upgrade === undefined || credentials === undefined || request.headers.upgrade !== upgrade.protocol)
      return refuse(400);
    const isValid = (): boolean => authenticate(request, credentials)?.id === caller.id;
    const stopListening = credentials.onChange(() => void (isValid() || socket.destroy()));
    upgraded.add(socket);
    socket.once('close', () => {
      upgraded.delete(socket);
      stopListening();
    });
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade.protocol}\r\n\r\n`,
    );
    upgrade.handle({ socket, caller, headers: request.headers, isValid });
    if (head.length > 0) socket.unshift(head);
  }

  const server = makeHttpServer({
    maxSockets: MAX_SOCKETS,
    requestMs: 0,
    shouldUpgrade: ({ headers }) => headers.upgrade === STDIO_PROTOCOL,
    onRequest,
    onUpgrade,
  });
  port = await listen(server, { host: HOST, port }, (error) => explain(error, port));
  return {
    port,
    get requests() {
      return requests;
    },
    stopAccepting() {
      isStopping = true;
      server.close();
    },
    close: () =>
      closeServer(server, () => {
        for (const socket of upgraded) socket.destroy();
      }),
  };
}

const explain = (error: Error, port: number): Error =>
  hasCode(error, 'EADDRINUSE')
    ? new PincerError('PORT_BUSY', `Port ${port} is in use by another program.`, {
        hint: 'Set OPENCLAW_MCP_PORT or "device.port" to another port; 0 picks a free one.',
        data: { port },
      })
    : error;
