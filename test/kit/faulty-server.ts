/** A legacy server over HTTP that fails on demand and counts the calls that it ran. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A response without a message. */
export interface Refusal {
  status: number;
  headers?: Record<string, string>;
}

export interface Seen {
  verb: string;
  /** The JSON-RPC method, or empty without a message. */
  method: string;
  headers: IncomingHttpHeaders;
  at: number;
  text: string;
}

export interface FaultyServer extends AsyncDisposable {
  url: string;
  /** Responses to the next requests of a method in place of an answer, in order. */
  refusals: { [method: string]: Refusal[] };
  /** The response to every request in place of an answer. */
  refusal: Refusal | undefined;
  /** Names of its tools. It does not announce changes. A tool with `read` in its name is marked read-only. */
  tools: string[];
  /** If set, calls are answered on a resumable stream, and this function runs before the answer is sent, to cut it. */
  cut: (() => void) | undefined;
  /** Forgets all sessions. */
  forget(): void;
  seen: Seen[];
  asked(method: string): Seen[];
  /** How many calls ran. */
  runs: number;
}

const INITIALIZED =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"m","version":"1"}}';

export async function openFaultyServer(): Promise<FaultyServer> {
  const sessions = new Set<string>();
  let sessionCount = 0;
  /** The rest of the stream that was cut. */
  let rest: string | undefined;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { id, method = '', params } = JSON.parse(body || '{}') as Message;
      const { method: verb = '', headers } = request;
      faulty.seen.push({ verb, method, headers, at: performance.now(), text: body });
      const refusal = faulty.refusal ?? faulty.refusals[method]?.shift();
      if (refusal !== undefined) return response.writeHead(refusal.status, refusal.headers).end();
      if (verb === 'GET' && headers['last-event-id'] !== undefined && rest !== undefined)
        return stream(response, [rest]).end();
      if (verb !== 'POST') return response.writeHead(verb === 'GET' ? 405 : 200).end();
      answer(response, { id, method, params }, String(headers['mcp-session-id']));
    });
  });

  function answer(response: ServerResponse, { id, method, params }: Message, session: string): void {
    const reply = (members: string): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${members}}`;
    const send = (members: string, headers: object = {}): void =>
      void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(reply(members));
    if (method === 'server/discover') return void response.writeHead(400).end();
    if (method === 'initialize') {
      sessions.add(`s${++sessionCount}`);
      return send(`"result":${INITIALIZED}`, { 'mcp-session-id': `s${sessionCount}` });
    }
    if (!sessions.has(session)) return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/list')
      return send(`"result":${JSON.stringify({ tools: faulty.tools.map(definition) })}`);
    if (method !== 'tools/call') return send('"result":{}');
    if (!faulty.tools.includes(params!.name))
      return send(`"error":{"code":-32602,"message":"Unknown tool: ${params!.name}"}`);
    const result = `"result":{"content":[{"type":"text","text":"run ${++faulty.runs}"}]}`;
    if (faulty.cut === undefined) return send(result);
    rest = `id: 2\ndata: ${reply(result)}\n\n`;
    stream(response, ['retry: 100\nid: 1\ndata:\n\n']);
    setTimeout(faulty.cut, 50);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const faulty: FaultyServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    refusals: {},
    refusal: undefined,
    tools: ['write', 'read'],
    cut: undefined,
    forget: () => sessions.clear(),
    seen: [],
    asked: (method) => faulty.seen.filter((each) => each.method === method),
    runs: 0,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  return faulty;
}

interface Message {
  id?: unknown;
  method?: string;
  params?: { name: string } | undefined;
}

function stream(response: ServerResponse, events: string[]): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(event);
  return response;
}

const definition = (name: string): object => ({
  name,
  inputSchema: { type: 'object' },
  ...(name.includes('read') && { annotations: { readOnlyHint: true } }),
});
