/** A fixture server that refuses requests without a token from the issuer. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { ServerFlags } from '../servers/flags.ts';
import { startHttpServer } from '../servers/start.ts';

export interface GuardedServer extends AsyncDisposable {
  url: string;
  /** The `Authorization` header of each request, in order. */
  readonly shown: (string | undefined)[];
  /** Tools that need more scopes: tool name to scopes. */
  readonly wants: Map<string, string>;
}

/** Hop-by-hop headers, which are not forwarded. */
const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

export async function startGuardedServer(
  accepts: (authorization: string | undefined) => boolean,
  flags: Partial<Omit<ServerFlags, 'transport' | 'port'>> = {},
): Promise<GuardedServer> {
  const inner = await startHttpServer(flags);
  const shown: (string | undefined)[] = [];
  const wants = new Map<string, string>();

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    shown.push(incoming.headers.authorization);
    if (!accepts(incoming.headers.authorization))
      return refuse(response, 401, 'Bearer error="invalid_token"');
    const wanted = wants.get(toolOf(body));
    if (wanted !== undefined)
      return refuse(response, 403, `Bearer error="insufficient_scope", scope="${wanted}"`);
    const { method, url, headers } = incoming;
    const { host: _, authorization: __, ...rest } = headers;
    const onward = request(new URL(url!, inner.url), { method: method!, headers: rest }, (answer) => {
      const kept = Object.entries(answer.headers).filter(([name]) => !HOP.has(name));
      response.writeHead(answer.statusCode!, Object.fromEntries(kept));
      answer.pipe(response);
    });
    response.on('close', () => onward.destroy());
    onward.on('error', () => response.destroy());
    onward.end(body);
  }

  const server = createServer((incoming, response) => void pass(incoming, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(inner.url).pathname}`,
    shown,
    wants,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await inner.stop();
    },
  };
}

function refuse(response: ServerResponse, status: number, challenge: string): void {
  response.writeHead(status, { 'www-authenticate': challenge }).end('no');
}

function toolOf(body: Buffer): string {
  try {
    const { method, params } = JSON.parse(body.toString()) as { method?: string; params?: { name?: string } };
    return method === 'tools/call' ? (params?.name ?? '') : '';
  } catch {
    return '';
  }
}
