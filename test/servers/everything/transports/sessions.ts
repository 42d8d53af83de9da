/** Legacy sessions over HTTP. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { createEverything } from '../server.ts';
import type { EverythingState } from '../state.ts';
import { createEventStore } from './event-store.ts';
import { refuse } from './refuse.ts';

/** How long a client should wait before it resumes a stream. */
const RETRY_MS = 500;

export type Handle = (request: IncomingMessage, response: ServerResponse, body: unknown) => Promise<void>;

export function serveSessions(state: EverythingState): Handle {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

  const open = async (): Promise<NodeStreamableHTTPServerTransport> => {
    const { server, refresh } = createEverything(state, 'legacy');
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => {
        sessions.delete(id);
        state.listeners.delete(refresh);
      },
    });
    state.listeners.add(refresh);
    await server.connect(transport);
    return transport;
  };

  return async (request, response, body) => {
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = sessions.get(id);
      if (session === undefined) return refuse(response, 404, -32_001, 'Session not found');
      return session.handleRequest(request, response, body);
    }
    if (!isInitializeRequest(body)) return refuse(response, 400, -32_000, 'A session id is required');
    const session = await open();
    return session.handleRequest(request, response, body);
  };
}
