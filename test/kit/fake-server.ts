/** A web server whose answers the test sets, and connections to it. For unit tests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import type { Log } from '../../packages/hub/src/core/ports.ts';
import { Connection, type ConnectionOptions } from '../../packages/hub/src/servers/connection/connection.ts';
import { openHttpWire } from '../../packages/hub/src/servers/http/http-wire.ts';
import { EVERYTHING } from './fake-wire.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly message: {
    readonly id?: string;
    readonly method?: string;
    readonly params?: Readonly<Record<string, unknown>>;
  };
}

export type Answer = (received: Received, response: ServerResponse) => void;

export const status =
  (code: number): Answer =>
  (_received, response) =>
    void response.writeHead(code).end();

export const json =
  (result: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  ({ message }, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(`{"jsonrpc":"2.0","id":"${message.id}","result":${result}}`);
  };

/** An event stream that then ends, is cut off, or stays open. */
export const stream =
  (make: (id: string) => readonly string[], end: 'end' | 'destroy' | 'stay' = 'end'): Answer =>
  ({ message }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    for (const each of make(message.id ?? '')) response.write(each);
    if (end === 'end') response.end();
    // Lets the written bytes arrive first.
    if (end === 'destroy') setTimeout(() => response.destroy(), 10);
  };

export const event = (data: string, id?: string): string =>
  `event: message\r\n${id === undefined ? '' : `id: ${id}\r\n`}data: ${data}\r\n\r\n`;

export const resultOf = (id: string, value = '{"content":[]}'): string =>
  `{"jsonrpc":"2.0","id":"${id}","result":${value}}`;

export const INITIALIZED =
  '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}';
export const DISCOVERED = '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}';

export class HandServer {
  readonly received: Received[] = [];
  readonly warnings: string[] = [];
  readonly closed: unknown[] = [];
  /** Answers by JSON-RPC method, or by HTTP method without a message. Everything else is answered with 500. */
  readonly answers: Record<string, Answer> = {
    initialize: json(INITIALIZED, { 'mcp-session-id': 'session-1' }),
    'notifications/initialized': status(202),
    'notifications/cancelled': status(202),
    GET: status(405),
    DELETE: status(200),
  };
  readonly #server: Server = createServer((request, response) => {
    void text(request).then((body) => this.#receive(request, body, response));
  });
  #port = 0;

  static async start(): Promise<HandServer> {
    const server = new HandServer();
    await server.listen();
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens again on its previous port, if it had one. */
  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** The methods received, in order. */
  get asked(): string[] {
    return this.received.map(({ method, message }) => message.method ?? method);
  }

  /** Requests with this HTTP method. */
  of(method: string): Received[] {
    return this.received.filter((each) => each.method === method);
  }

  connect(over: Partial<ConnectionOptions> & { readonly maxMessageBytes?: number } = {}): Connection {
    const { maxMessageBytes = DEFAULT_LIMITS.maxMessageBytes, ...options } = over;
    const note = (message: string): void => void this.warnings.push(message);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    return new Connection({
      server: 's',
      openWire: openHttpWire({
        server: 's',
        url: new URL(`${this.origin}/mcp?tenant=1`),
        headers: { authorization: 'Bearer key-1', 'x-own': 'yes' },
        connectTimeoutMs: 2_000,
        limits: { ...DEFAULT_LIMITS, maxMessageBytes },
        log,
      }),
      clock: { now: () => Date.now(), elapsed: () => performance.now() },
      requestTimeoutMs: 10_000,
      maxCallMs: DEFAULT_LIMITS.maxCallMs,
      questionTimeoutMs: 10_000,
      owner: undefined,
      abilities: EVERYTHING,
      onNotice: () => undefined,
      onClosed: (reason) => void this.closed.push(reason),
      ...options,
    });
  }

  #receive(request: IncomingMessage, body: string, response: ServerResponse): void {
    const message = (body === '' ? {} : JSON.parse(body)) as Received['message'];
    const method = request.method!;
    const received = { method, url: request.url!, headers: request.headers, text: body, message };
    this.received.push(received);
    const answer = this.answers[method === 'POST' ? (message.method ?? 'answer') : method];
    (answer ?? status(500))(received, response);
  }
}
