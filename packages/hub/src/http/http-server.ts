/** The common part of both listeners. */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** Time for the headers to arrive. */
const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 65_000;
/** How often the timeouts are checked. */
const CHECK_MS = 10_000;

export interface HttpServerParts {
  readonly maxSockets: number;
  /** Time for a whole request to arrive; zero if the routes limit it themselves. */
  readonly requestMs: number;
  /** Any other upgrade, such as h2c, is treated as an ordinary request. */
  readonly shouldUpgrade: NonNullable<ServerOptions['shouldUpgradeCallback']>;
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export function makeHttpServer({
  maxSockets,
  requestMs,
  shouldUpgrade,
  onRequest,
  onUpgrade,
}: HttpServerParts): Server {
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: requestMs === 0 ? HEADERS_TIMEOUT_MS : Math.min(HEADERS_TIMEOUT_MS, requestMs),
      requestTimeout: requestMs,
      connectionsCheckingInterval: requestMs === 0 ? CHECK_MS : Math.min(CHECK_MS, requestMs),
      noDelay: true,
      joinDuplicateHeaders: true,
      shouldUpgradeCallback: shouldUpgrade,
    },
    onRequest,
  );
  server.maxConnections = maxSockets;
  server.on('upgrade', onUpgrade);
  return server;
}

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Returns the port. `explain` translates an error. */
export function listen(server: Server, place: Place, explain: (error: Error) => Error): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error)));
    server.listen(place.port, place.host, () => {
      server.removeAllListeners('error');
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** `onClosing` closes the connections that Node no longer tracks. */
export const closeServer = (server: Server, onClosing: () => void): Promise<void> =>
  new Promise((resolve) => {
    if (!server.listening) resolve();
    server.close(() => resolve());
    onClosing();
    server.closeAllConnections();
  });

/** `more` holds further header lines, each with its line end. */
export function refuseUpgrade(socket: Duplex, status: number, more = ''): void {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${more}Content-Length: 0\r\n\r\n`,
    // Node no longer tracks this socket. A client that does not close its half would keep it open.
    () => socket.destroy(),
  );
}

export function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
