/** The proxy's listener: the gate, and the routes behind it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { hasCode, PincerError } from '../../core/errors.ts';
import { header } from '../../http/header.ts';
import {
  closeServer,
  listen,
  makeHttpServer,
  pathOf,
  refuseUpgrade,
  type Place,
} from '../../http/http-server.ts';
import { retryAfterSeconds } from '../refusals.ts';
import { allowOrigin, answerPreflight, type Answers } from './answers.ts';
import type { BridgeEndpoint } from './bridge-endpoint.ts';
import type { Visitor } from '../../core/app-bridge.ts';
import type { Keys } from './keys.ts';
import type { Wait } from './rate-limits.ts';
import { isOwnHost, type Refusal } from '../../http/gate.ts';

/** The handler of a path. */
export interface ProxyRoute {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** The session, if the path is that of a bridge. */
  readonly bridgeOf?: string;
}

interface ProxyListenerParts {
  readonly answers: Answers;
  readonly host: string;
  /** The host as this machine reaches it, in the form before the port. */
  readonly address: string;
  readonly port: number;
  /** Further allowed values of the Host header. */
  readonly hosts: readonly string[];
  readonly maxSockets: number;
  /** How long a request may take to arrive. */
  readonly requestMs: number;
  readonly keys: Pick<Keys, 'isKnownOrigin' | 'mayComeFrom' | 'appOf'>;
  readonly bridges: BridgeEndpoint;
  /** The wait for an app that exceeds its rate. */
  tooSoon(key: Visitor): Wait | undefined;
  /** The route of a path; the path has no query. */
  route(path: string): ProxyRoute | undefined;
  onRequest(): void;
  onRejected(status: number): void;
}

export interface ProxyListener {
  readonly port: number;
  /** Refuses new connections and requests; running requests continue. */
  stopAccepting(): void;
  close(): Promise<void>;
}

export async function openProxyListener(parts: ProxyListenerParts): Promise<ProxyListener> {
  const { keys, bridges, answers } = parts;
  let { port } = parts;
  let isStopping = false;

  const checkRequest = ({ headers }: IncomingMessage): Refusal | undefined =>
    checkGate(
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
    if (isStopping) return answers.text(response, 503, 'The hub is stopping.');
    const refusal = checkRequest(request);
    if (refusal !== undefined) return answers.text(response, refusal.status, refusal.reason);
    allowOrigin(request, response);
    if (request.method === 'OPTIONS' && request.headers.origin !== undefined)
      return answerPreflight(request, response);
    const route = parts.route(pathOf(request));
    if (route === undefined) return answers.text(response, 404, 'Unknown path.');
    route.handle(request, response);
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const refuse = (status: number, more?: string): void => {
      parts.onRejected(status);
      refuseUpgrade(socket, status, more);
    };
    if (isStopping) return refuse(503);
    if (checkRequest(request) !== undefined) return refuse(403);
    const id = parts.route(pathOf(request))?.bridgeOf;
    if (id === undefined) return refuse(404);
    const key = keys.appOf(request.headers);
    const { origin } = request.headers;
    if (key !== undefined && origin !== undefined && !keys.mayComeFrom(key.app, origin)) return refuse(403);
    // Accepted only to be closed with 4401.
    if (key === undefined) parts.onRejected(401);
    const wait = key && parts.tooSoon(key);
    if (wait !== undefined) return refuse(429, `Retry-After: ${retryAfterSeconds(wait.retryAfterMs)}\r\n`);
    bridges.open({ request, socket, head }, key, id);
  }

  const server = makeHttpServer({
    maxSockets: parts.maxSockets,
    requestMs: parts.requestMs,
    shouldUpgrade: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    onRequest,
    onUpgrade,
  });
  port = await listen(server, parts, (error) => explain(error, parts));
  return {
    port,
    stopAccepting() {
      isStopping = true;
      server.close();
    },
    close: () => closeServer(server, () => bridges.close()),
  };
}

function explain(error: Error, { host, port }: Place): Error {
  if (hasCode(error, 'EADDRINUSE'))
    return new PincerError('PORT_BUSY', `Port ${port} is in use by another program.`, {
      hint: 'Set "proxy.port" to another port, or to 0 for any free one. To turn the app proxy off, set "proxy.enabled" to false.',
      data: { port },
    });
  if (hasCode(error, 'EADDRNOTAVAIL') || hasCode(error, 'ENOTFOUND'))
    return new PincerError('CONFIG_INVALID', `This machine has no address ${host} to listen on.`, {
      hint: 'Set "proxy.host" to an address of this machine, such as 127.0.0.1 or 0.0.0.0.',
      data: { path: 'proxy.host' },
    });
  return error;
}

/** The headers that the gate checks before any token. */
interface GateRequest {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

export interface GateProfile {
  readonly port: number;
  /** The listening address, in the form before the port. */
  readonly address: string;
  /** Further allowed values of the Host header, with a port unless it is the default one. */
  readonly hosts: readonly string[];
  /** Whether an app has this origin among its `origins`. */
  isKnownOrigin(origin: string): boolean;
}

/** Returns undefined if the request may go on to authentication. */
export function checkGate(
  { host, origin, fetchSite }: GateRequest,
  profile: GateProfile,
): Refusal | undefined {
  if (host === undefined || !isOurs(host.toLowerCase(), profile))
    return refuse(
      'The Host header is not allowed. Add the name to "proxy.allowedHosts", or set "proxy.publicUrl".',
    );
  if (origin !== undefined)
    return profile.isKnownOrigin(origin)
      ? undefined
      : refuse('This origin is not among the "origins" of an app.');
  // Browsers that omit the origin of a page are refused.
  if (fetchSite !== undefined && fetchSite !== 'none') return refuse('Requests from web pages are refused.');
  return undefined;
}

const isOurs = (host: string, { port, address, hosts }: GateProfile): boolean =>
  hosts.includes(host) || isOwnHost(host, port) || host === address || host === `${address}:${port}`;

const refuse = (reason: string): Refusal => ({ status: 403, reason });
