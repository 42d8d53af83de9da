import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { findLocalGateway, isGatewayAt } from './local-gateway.ts';
import { verifies } from '../../../../../test/verifies.ts';

verifies('000-history-discovery');

let server: Server | undefined;
afterEach(() => server?.close());

async function serve(status: number, body: string, headers: Record<string, string> = {}): Promise<number> {
  server = createServer((_request, response) => void response.writeHead(status, headers).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it.each([
  [200, '<html><title>OpenClaw Control</title></html>', {}, true],
  [200, '<html><title>Something else</title></html>', {}, false],
  [401, '<title>OpenClaw Control</title>', {}, false],
  [302, '<title>OpenClaw Control</title>', { location: 'http://example.com/' }, false],
  // Pincer's own listener.
  [200, 'OpenClaw MCP server. POST JSON-RPC', {}, false],
])('%s %s', async (status, body, headers, expected) => {
  const port = await serve(status, body, headers);
  expect(await isGatewayAt(port)).toBe(expected);
  expect(await findLocalGateway({ OPENCLAW_GATEWAY_PORT: String(port) })).toBe(
    expected ? `ws://127.0.0.1:${port}` : undefined,
  );
});

it('nobody there is no gateway', async () => {
  const port = await serve(200, '');
  server!.close();
  await once(server!, 'close');
  expect(await isGatewayAt(port)).toBe(false);
});
