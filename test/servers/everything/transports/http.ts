import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
  toWebRequest,
  type NodeIncomingMessageLike,
} from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { EverythingFlags } from '../flags.ts';
import { createEverything } from '../server.ts';
import type { EverythingState } from '../state.ts';
import { refuse } from './refuse.ts';
import { serveSessions, type Handle } from './sessions.ts';

/** Streamable HTTP at /mcp on the loopback address. */
export function serveHttp(state: EverythingState, { era, port }: EverythingFlags): void {
  const legacy = era === 'modern' ? undefined : serveSessions(state);
  const modern = era === 'legacy' ? undefined : serveModern(state);
  const isHostRight = localhostHostValidation();
  const isOriginRight = localhostOriginValidation();

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await bodyOf(request);
    let body: unknown;
    try {
      body = text === '' ? undefined : JSON.parse(text);
    } catch {
      return refuse(response, 400, -32_700, 'Not JSON');
    }
    const web = await toWebRequest(request as NodeIncomingMessageLike, body ?? '');
    const isLegacy = await isLegacyRequest(web, body);
    return (isLegacy ? (legacy ?? modern) : (modern ?? legacy))?.(request, response, body);
  };
  const server = createServer((request, response) => {
    if (isHostRight(request, response) && isOriginRight(request, response))
      void serve(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1', () => {
    const address = server.address();
    const actual = typeof address === 'object' && address !== null ? address.port : port;
    process.stderr.write(`listening http://127.0.0.1:${actual}/mcp\n`);
  });
}

/** Creates a server for each request; answers the legacy era with an error. */
function serveModern(state: EverythingState): Handle {
  const handler = createMcpHandler(() => createEverything(state, 'modern').server, { legacy: 'reject' });
  state.listeners.add((listing) => {
    if (listing === 'tools') handler.notify.toolsChanged();
    else handler.notify.promptsChanged();
  });
  const handle = toNodeHandler(handler);
  return (request, response, body) => handle(request as NodeIncomingMessageLike, response, body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
