/** A web server with a few JSON pages that records its requests. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Pages extends AsyncDisposable {
  origin: string;
  /** `METHOD /path?query`, in order. */
  requests: string[];
  /** Sets the JSON or the handler at a path. Other paths return 404. */
  set(path: string, page: object | RequestListener): void;
}

export async function servePages(): Promise<Pages> {
  const pages = new Map<string, object | RequestListener>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const page = pages.get(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (typeof page === 'function') return (page as RequestListener)(request, response);
    if (page === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    set: (path, page) => void pages.set(path, page),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
