/** Listens on this machine for the redirect of a sign-in: one address, one path, one answer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasCode, PincerError } from '../../../core/errors.ts';
import { REDIRECT_PATH } from '../client/client-metadata.ts';

/** The page that the browser shows. Nothing in it runs. */
export interface Page {
  readonly title: string;
  readonly text: string;
}

export interface CallbackListener {
  readonly port: number;
  close(): void;
}

export interface CallbackEvents {
  /** Whether the answer belongs to this sign-in. Any other gets an error page, and the listener stays open. */
  isOwn(params: URLSearchParams): boolean;
  /** Called once. Returns the page for the browser. */
  onAnswer(params: URLSearchParams): Promise<Page>;
}

const NOT_OURS: Page = {
  title: 'Nothing to do here',
  text: 'This answer does not belong to a sign-in in progress. Start a new sign-in, and use its link.',
};

/** @param port the registered one, or zero for a free one. */
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
    // Browsers keep connections open. The page still has to arrive.
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

/** Refuses other hosts (a page whose name resolves to this machine), other paths and other methods. */
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
    // Stays registered: an error of a later connection must not end the hub.
    server.on('error', (error) => reject(hasCode(error, 'EADDRINUSE') ? busy(port, error) : error));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, resolve);
  });
}

const busy = (port: number, cause: Error): PincerError =>
  new PincerError('PORT_BUSY', `Port ${port} on 127.0.0.1, which the browser returns to, is in use.`, {
    hint: 'Another sign-in may be in progress: finish it, or wait until it has ended.',
    cause,
  });

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}';

const renderPage = ({ title, text }: Page): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>` +
  `<style>${STYLE}</style><h1>${escaped(title)}</h1><p>${escaped(text)}</p></html>\n`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char]!);
