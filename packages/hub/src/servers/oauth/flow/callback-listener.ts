/** Waits on this machine for the browser to come back from a sign-in: one address, one path, one answer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasCode, PincerError } from '../../../core/errors.ts';
import { REDIRECT_PATH } from '../client/client-metadata.ts';
import { PAGE_HEADERS, renderPage, type Page } from './callback-page.ts';

export interface CallbackListener {
  readonly port: number;
  close(): void;
}

export interface CallbackEvents {
  /** Whether this is the answer that is waited for; any other gets a page that says so, and the wait goes on. */
  isOwn(params: URLSearchParams): boolean;
  /** Once. The page says how it went. */
  onAnswer(params: URLSearchParams): Promise<Page>;
}

const NOT_OURS: Page = {
  title: 'Nothing to do here',
  text: 'This answer belongs to no sign-in that is under way. Begin anew, and use the newest link.',
};

/** `port`: the one that was registered; zero takes a free one. */
export async function openCallbackListener(port: number, events: CallbackEvents): Promise<CallbackListener> {
  let isAnswered = false;
  const server = createServer({ connectionsCheckingInterval: 1_000 }, (request, response) => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
    const { status, page } = refusalOf(request, url, portOf(server)) ?? {};
    if (status !== undefined) return respond(response, status, page);
    const params = url!.searchParams;
    if (isAnswered || !events.isOwn(params)) return respond(response, 400, NOT_OURS);
    isAnswered = true;
    void events.onAnswer(params).then((answer) => {
      respond(response, 200, answer);
      close();
    });
  });
  server.headersTimeout = 5_000;
  server.requestTimeout = 5_000;

  function close(): void {
    server.close();
    // A browser keeps its connections; the page that is under way still arrives.
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), LINGER_MS).unref();
  }

  await listen(server, port);
  return { port: portOf(server), close };
}

const LINGER_MS = 1_000;

const portOf = (server: Server): number => (server.address() as AddressInfo | null)?.port ?? 0;

interface Refusal {
  readonly status: number;
  readonly page?: Page;
}

/** A page elsewhere that has its name resolve to this machine, another path, another method. */
function refusalOf({ method, headers }: IncomingMessage, url: URL | null, port: number): Refusal | undefined {
  if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`) return { status: 403 };
  if (url?.pathname !== REDIRECT_PATH) return { status: 404 };
  return method === 'GET' ? undefined : { status: 405 };
}

function respond(response: ServerResponse, status: number, page?: Page): void {
  if (page === undefined) response.writeHead(status, { connection: 'close' }).end();
  else response.writeHead(status, PAGE_HEADERS).end(renderPage(page));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Later ones, too: a connection that could not be taken is nothing to end the hub for.
    server.on('error', (error) => reject(hasCode(error, 'EADDRINUSE') ? busy(port, error) : error));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, resolve);
  });
}

const busy = (port: number, cause: Error): PincerError =>
  new PincerError('PORT_BUSY', `Port ${port} of 127.0.0.1, where the browser is sent back to, is in use.`, {
    hint: 'Another sign-in may be under way: finish it, or wait until it has ended.',
    cause,
  });
