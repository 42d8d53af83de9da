import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection, Headers } from '../connection.ts';
import type { Inbound } from '../inbound.ts';
import { LEGACY_VERSIONS } from '../protocol/legacy.ts';
import type { FixtureState } from '../state.ts';
import { openStream, sendRefusal, type EventStream } from './http-reply.ts';

interface Session {
  connection: Connection;
  streams: Set<EventStream>;
}

interface Refused {
  status: number;
  refusal: string;
}

/** The sessions of legacy HTTP: created by initialize, ended by DELETE. */
export class Sessions {
  readonly #state: FixtureState;
  readonly #sessions = new Map<string, Session>();

  constructor(state: FixtureState) {
    this.#state = state;
  }

  /** The connection that a legacy POST belongs to. */
  resolve(inbound: Inbound, headers: Headers): Connection | Refused {
    const version = headers['mcp-protocol-version'];
    if (version !== undefined && !LEGACY_VERSIONS.some((known) => known === version)) {
      return { status: 400, refusal: `Bad request: unsupported protocol version ${String(version)}` };
    }
    if (this.#state.flags.session === 'stateless') {
      return { key: 'stateless', version: '2025-03-26', push: () => {} };
    }
    if (inbound.method === 'initialize') return this.#begin();
    const found = this.#find(headers);
    return 'refusal' in found ? found : found.connection;
  }

  /** GET: the stream for messages that belong to no request. */
  listen(request: IncomingMessage, response: ServerResponse): void {
    const found = this.#findFor(request);
    if ('refusal' in found) return sendRefusal(response, found.status, found.refusal);
    const stream = openStream(response);
    found.streams.add(stream);
    response.on('close', () => found.streams.delete(stream));
  }

  end(request: IncomingMessage, response: ServerResponse): void {
    const found = this.#findFor(request);
    if ('refusal' in found) return sendRefusal(response, found.status, found.refusal);
    this.#sessions.delete(found.connection.key);
    this.#state.subscribers.delete(found.connection);
    for (const stream of found.streams) stream.end();
    response.writeHead(200).end();
  }

  #begin(): Connection {
    const session = randomUUID();
    const streams = new Set<EventStream>();
    const push = (message: string) => {
      for (const stream of streams) stream.send(message);
    };
    const connection: Connection = { key: session, session, push };
    this.#sessions.set(session, { connection, streams });
    return connection;
  }

  #find(headers: Headers): Session | Refused {
    const id = headers['mcp-session-id'];
    if (id === undefined) return { status: 400, refusal: 'Bad request: no Mcp-Session-Id' };
    return this.#sessions.get(String(id)) ?? { status: 404, refusal: 'Session not found' };
  }

  #findFor(request: IncomingMessage): Session | Refused {
    const { era, session } = this.#state.flags;
    if (era === 'modern' || session === 'stateless') return { status: 405, refusal: 'Method not allowed' };
    return this.#find(request.headers);
  }
}
