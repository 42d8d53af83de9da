/** What both listeners have in common. */
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

/** A header must have arrived within this time. */
const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 65_000;
/** How often that is looked at. */
const CHECK_MS = 10_000;

export interface HttpServerParts {
  readonly maxSockets: number;
  /** How long a request may take to arrive, whatever became of it; zero: the routes look after that. */
  readonly requestMs: number;
  /** Anything else that a client would upgrade to, h2c say, is an ordinary request. */
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

/** Gives back the port. `explain` says what a failure means here. */
export function listen(server: Server, place: Place, explain: (error: Error) => Error): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error)));
    server.listen(place.port, place.host, () => {
      server.removeAllListeners('error');
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** `onClosing` ends what Node no longer looks after. */
export const closeServer = (server: Server, onClosing: () => void): Promise<void> =>
  new Promise((resolve) => {
    if (!server.listening) resolve();
    server.close(() => resolve());
    onClosing();
    server.closeAllConnections();
  });

/** `more` are further header lines, each with its end. */
export function refuseUpgrade(socket: Duplex, status: number, more = ''): void {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${more}Content-Length: 0\r\n\r\n`,
    // Node looks after it no longer: whoever does not close their half would keep it.
    () => socket.destroy(),
  );
}

export function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
