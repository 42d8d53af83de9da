import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Connection, Decision } from '../connection.ts';
import { readInbound } from '../inbound.ts';
import { answerIn } from '../protocol/answer.ts';
import type { FixtureState } from '../state.ts';
import { openStream, sendRefusal } from './http-reply.ts';

/** HTTP+SSE of 2024-11-05 on loopback: a GET of /sse opens the session, messages are posted to /message. */
export function serveSse(state: FixtureState): void {
  const sessions = new Map<string, Connection>();

  const listen = (response: ServerResponse): void => {
    const key = randomUUID();
    const stream = openStream(response);
    response.write(`event: endpoint\ndata: /message?session=${key}\n\n`);
    const push = (message: string): true => {
      stream.send(message);
      return true;
    };
    sessions.set(key, { key, session: key, push });
    response.on('close', () => {
      state.subscribers.delete(sessions.get(key)!);
      sessions.delete(key);
    });
  };

  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url!, 'http://localhost');
    const connection = sessions.get(url.searchParams.get('session') ?? '');
    if (connection === undefined) return sendRefusal(response, 404, 'Session not found');
    const inbound = readInbound(await text(request));
    if ('error' in inbound) return sendRefusal(response, 400, 'No message');
    connection.headers = request.headers;
    response.writeHead(202).end('Accepted');
    await perform(answerIn('legacy', state, inbound, connection), connection);
  };

  const server = createServer((request, response) => {
    const [path] = request.url!.split('?');
    if (request.method === 'GET' && path === '/sse') listen(response);
    else if (request.method === 'POST' && path === '/message')
      void post(request, response).catch(() => response.destroy());
    else sendRefusal(response, path === '/sse' || path === '/message' ? 405 : 404, 'Not here');
  });
  server.listen(state.flags.port, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : state.flags.port;
    process.stderr.write(`listening http://127.0.0.1:${port}/sse\n`);
  });
}

async function perform(decision: Decision, { push }: Connection): Promise<void> {
  if (decision.kind === 'answer') push(decision.message);
  if (decision.kind !== 'start') return;
  const message = await decision.run({ send: push });
  if (message !== undefined) push(message);
}
