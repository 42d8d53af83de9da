/**
 * The suite cannot send a token: this adds it. Everything else goes through as it came. `Host` and `Origin` change only
 * where they name this relay, and only in their port, so that a foreign one meets the hub's own gate.
 */
import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Relay extends AsyncDisposable {
  origin: string;
}

/** They speak of one connection and not of the message. */
const HOP = new Set(['connection', 'keep-alive']);

export async function startRelay(target: string, token: string): Promise<Relay> {
  const { hostname, port } = new URL(target);

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const headers = pairs(request.rawHeaders).map(([name, value]) =>
      ['host', 'origin'].includes(name.toLowerCase()) ? [name, moved(value)] : [name, value],
    );
    headers.push(['Authorization', `Bearer ${token}`]);
    // A connection for each request: one that is used again may be closed just then by the other side.
    const { method, url: path } = request;
    const outgoing = forward({ hostname, port, method, path, headers: headers.flat(), agent: false });
    outgoing.on('response', (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, pairs(incoming.rawHeaders).flat());
      response.flushHeaders();
      incoming.pipe(response);
      incoming.on('error', () => response.destroy());
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    request.pipe(outgoing);
  };
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, noDelay: true }, serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  const moved = (value: string): string =>
    /^(?:http:\/\/)?(?:127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(value)
      ? value.replace(new RegExp(`:${own}$`), `:${port}`)
      : value;
  return {
    origin: `http://127.0.0.1:${own}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function pairs(raw: string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2)
    if (!HOP.has(raw[at]!.toLowerCase())) found.push([raw[at]!, raw[at + 1]!]);
  return found;
}
