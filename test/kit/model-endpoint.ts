/** A model on loopback. It calls the given tools one after the other, then repeats the last tool's result. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../servers/json.ts';

export interface ToolUse {
  name: string;
  input: object;
}

/** One request of a client to its model. */
export interface ModelRequest {
  /** The names of the offered tools. */
  offered: string[];
  /** Tool results in this conversation, in order. */
  results: string[];
}

export type Turn = { call: ToolUse; id: string } | { say: string };

export interface StreamEvent {
  /** The name of the event, if the API names its events. */
  event?: string;
  data: object;
}

/** Reads and writes one vendor's API. */
export interface Dialect {
  path: RegExp;
  read(body: JsonObject): ModelRequest;
  write(turn: Turn, body: JsonObject): StreamEvent[];
}

export interface ModelEndpoint extends AsyncDisposable {
  url: string;
  /** The names of all tools that the client has offered so far. */
  offered: Set<string>;
  /** Tool results of the longest conversation so far. */
  results: string[];
}

export async function startModelEndpoint(
  dialect: Dialect,
  calls: readonly ToolUse[],
): Promise<ModelEndpoint> {
  const offered = new Set<string>();
  const endpoint: Pick<ModelEndpoint, 'results'> = { results: [] };
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      if (request.method !== 'POST' || !dialect.path.test(request.url ?? '')) {
        response.writeHead(404).end();
        return;
      }
      const body = JSON.parse(sent) as JsonObject;
      const asked = dialect.read(body);
      for (const name of asked.offered) offered.add(name);
      if (asked.results.length > endpoint.results.length) endpoint.results = asked.results;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(dialect.write(nextTurn(asked, calls), body).map(eventText).join(''));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    offered,
    get results() {
      return endpoint.results;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Clients also request titles and summaries, without tools; those get no call. */
function nextTurn({ offered, results }: ModelRequest, calls: readonly ToolUse[]): Turn {
  const call = calls[results.length];
  if (call === undefined) return { say: results.at(-1) ?? '' };
  return offered.includes(call.name) ? { call, id: `call_${results.length}` } : { say: 'no such tool' };
}

const eventText = ({ event, data }: StreamEvent): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
