/**
 * The only way from a page to the network: a proxy on loopback. It resolves each name itself and connects only to
 * public addresses. It connects to the address that it checked, so DNS rebinding has no effect. Other programs gain
 * nothing by using it: it reaches only what they can reach.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo, type LookupFunction, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { isNeighbour, isPublicAddress } from '../../lib/net-address.ts';

export interface Guard {
  /** `127.0.0.1:port` */
  readonly address: string;
  close(): void;
}

export interface GuardParts {
  /** `host:port` that pages may reach although it is not public. The person has allowed it. */
  readonly allow: ReadonlySet<string>;
  onRefused(host: string): void;
}

const CONNECT_MS = 20_000;
const MAX_CONNECTIONS = 256;
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'proxy-connection',
  'proxy-authorization',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
]);

interface Place {
  readonly host: string;
  readonly port: number;
}

export async function startGuard({ allow, onRefused }: GuardParts): Promise<Guard> {
  const sockets = new Set<Duplex>();
  const follow = (socket: Duplex): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };

  /** The addresses of a host. Undefined if there are none, or if one of them is forbidden. */
  async function addressesOf({ host, port }: Place): Promise<readonly LookupAddress[] | undefined> {
    const found = await lookup(host, { all: true }).catch(() => []);
    if (found.length === 0) return undefined;
    if (allow.has(`${host}:${port}`)) return found;
    const interfaces = networkInterfaces();
    if (found.every(({ address }) => isPublicAddress(address) && !isNeighbour(address, interfaces)))
      return found;
    onRefused(host);
    return undefined;
  }

  async function tunnel(target: string, client: Duplex, head: Buffer): Promise<void> {
    const place = placeOf(`http://${target}`);
    const addresses = place && (await addressesOf(place));
    if (place === undefined || addresses === undefined)
      return void client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    const upstream: Socket = connect({ ...place, lookup: answeredWith(addresses) });
    follow(upstream);
    upstream.setTimeout(CONNECT_MS, () => upstream.destroy());
    upstream.once('connect', () => {
      upstream.setTimeout(0);
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.once('close', () => client.destroy());
    client.once('close', () => upstream.destroy());
  }

  async function forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const refuse = (status: number): void => void answer.writeHead(status, { 'content-length': 0 }).end();
    // Rejects requests that are not in the form for a proxy.
    const place = incoming.url?.startsWith('http://') ? placeOf(incoming.url) : undefined;
    if (place === undefined) return refuse(400);
    const addresses = await addressesOf(place);
    if (addresses === undefined) return refuse(403);
    const { pathname, search, host: name } = new URL(incoming.url!);
    const headers = endToEnd({ ...incoming.headers, host: name });
    const outgoing = request({
      ...place,
      lookup: answeredWith(addresses),
      method: incoming.method,
      path: pathname + search,
      headers,
      timeout: CONNECT_MS,
    });
    outgoing.on('response', (response) => {
      const { statusCode = 0 } = response;
      if (statusCode < 200) return void outgoing.destroy();
      answer.writeHead(statusCode, endToEnd(response.headers));
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => answer.headersSent && answer.destroy());
    // Also closes if the server sent something that is not an HTTP response.
    outgoing.on('close', () => answer.headersSent || refuse(502));
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  const server = createServer((incoming, answer) => {
    // Nothing that a page or a server sends may crash the hub.
    forward(incoming, answer).catch(() => answer.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', follow);
  server.on('connect', ({ url = '' }: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnel(url, client, head).catch(() => client.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns the checked addresses, without a second lookup. */
const answeredWith =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_name, { all }, callback) => {
    if (all === true) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));

function placeOf(url: string): Place | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return host === '' ? undefined : { host, port: port === '' ? 80 : Number(port) };
}
