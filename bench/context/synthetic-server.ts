/** All services in one process, each at its own path: Streamable HTTP of the legacy era, without sessions. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from './synthetic-tools.ts';

export interface SyntheticServer extends AsyncDisposable {
  /** Entries of a hub's configuration. */
  readonly servers: Readonly<Record<string, object>>;
}

interface Request {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: object;
  };
}

export async function startSyntheticServer(services: readonly Service[]): Promise<SyntheticServer> {
  const byPath = new Map(services.map((service) => [`/${service.name}`, service]));
  const server = createServer((request, response) => {
    const service = byPath.get(request.url ?? '');
    if (request.method === 'POST' && service !== undefined) void respond(service, request, response);
    else response.writeHead(service === undefined ? 404 : 405).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    servers: Object.fromEntries(
      services.map(({ name }) => [name, { url: `http://127.0.0.1:${port}/${name}` }]),
    ),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function respond(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const message = JSON.parse(Buffer.concat(chunks).toString()) as Request;
  if (message.id === undefined) return void response.writeHead(202).end();
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(service, message) }));
}

function answer({ name, tools }: Service, { method, params }: Request): object {
  if (method === 'initialize')
    return {
      result: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name, version: '1.0.0' },
      },
    };
  if (method === 'tools/list') return { result: { tools } };
  if (method === 'tools/call' && tools.some((tool) => tool.name === params?.name))
    return { result: { content: [{ type: 'text', text: JSON.stringify(entry(params?.arguments)) }] } };
  return { error: { code: -32601, message: `Unknown: ${method}` } };
}

/** A typical answer of such services: the object with additional fields. */
const entry = (args: object = {}): object => ({
  id: '4711',
  title: 'The printer on the second floor is on fire',
  status: 'open',
  priority: 'normal',
  assignees: ['ada', 'grace'],
  created: '2026-11-02T09:14:00Z',
  changed: '2026-11-13T16:40:00Z',
  url: 'https://example.com/4711',
  ...args,
});
