import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { callKey, type Connection, type Decision } from '../connection.ts';
import { readInbound, type Inbound } from '../inbound.ts';
import { answerIn } from '../protocol/answer.ts';
import { httpEra } from '../protocol/era.ts';
import type { FixtureState } from '../state.ts';
import { openStream, sendJson, sendRefusal } from './http-reply.ts';
import { Sessions } from './http-sessions.ts';

/** Streamable HTTP at /mcp on the loopback address. */
export function serveHttp(state: FixtureState): void {
  const sessions = new Sessions(state);
  let requests = 0;

  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const inbound = readInbound(await bodyOf(request));
    if ('error' in inbound) return sendJson(response, 400, inbound.error);
    const { headers } = request;
    if (httpEra(state.flags.era, inbound, headers) === 'modern') {
      const connection: Connection = { key: `request-${++requests}`, headers, push: () => {} };
      response.on('close', () => {
        if (!response.writableFinished) state.calls.cancel(callKey(connection, inbound.rawId), 'closed');
      });
      return perform(state, response, answerIn('modern', state, inbound, connection));
    }
    const connection = sessions.resolve(inbound, headers);
    if ('refusal' in connection) return sendRefusal(response, connection.status, connection.refusal);
    connection.headers = headers;
    const decision = answerIn('legacy', state, inbound, connection);
    if (isInitialize(inbound) && connection.session) response.setHeader('mcp-session-id', connection.session);
    return perform(state, response, decision);
  };

  const server = createServer((request, response) => {
    if (request.url !== '/mcp') return sendRefusal(response, 404, 'Not found');
    if (request.method === 'POST' && !acceptsBoth(request)) {
      return sendRefusal(response, 406, 'Accept must list application/json and text/event-stream');
    }
    if (request.method === 'POST') return void post(request, response).catch(() => response.destroy());
    if (request.method === 'GET') return sessions.listen(request, response);
    if (request.method === 'DELETE') return sessions.end(request, response);
    sendRefusal(response, 405, 'Method not allowed');
  });
  server.listen(state.flags.port, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : state.flags.port;
    process.stderr.write(`listening http://127.0.0.1:${port}/mcp\n`);
  });
}

async function perform(state: FixtureState, response: ServerResponse, decision: Decision): Promise<void> {
  const sse = state.flags.response === 'sse';
  if (decision.kind === 'accepted') {
    response.writeHead(202).end();
  } else if (decision.kind === 'answer') {
    if (!sse || decision.status !== 200) return sendJson(response, decision.status, decision.message);
    const stream = openStream(response);
    stream.send(decision.message);
    stream.end();
  } else if (sse || decision.stream) {
    const stream = openStream(response);
    const message = await decision.run(stream);
    if (message !== undefined) stream.send(message);
    stream.end();
  } else {
    const message = await decision.run({ send: () => {} });
    if (message === undefined) response.writeHead(202).end();
    else sendJson(response, 200, message);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function isInitialize(inbound: Inbound): boolean {
  return inbound.kind === 'request' && inbound.method === 'initialize';
}

function acceptsBoth(request: IncomingMessage): boolean {
  const accept = request.headers.accept ?? '';
  return accept.includes('application/json') && accept.includes('text/event-stream');
}
