/**
 * A server of 2024-11-05 whose answers the test sets: its URL accepts no messages, its stream names the endpoint for
 * them.
 */
import type { ServerResponse } from 'node:http';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import type { Log } from '../../packages/hub/src/core/ports.ts';
import type { Connection } from '../../packages/hub/src/servers/connection/connection.ts';
import { openWebWire } from '../../packages/hub/src/servers/http/web-wire.ts';
import type { OpenWire } from '../../packages/hub/src/servers/wire.ts';
import { event, HandServer, resultOf, status, stream, type Answer } from './fake-server.ts';

export const OLD_INITIALIZED =
  '{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"o","version":"1"}}';
export const OLD_MAX_BYTES = 10_000;

export class OldServer {
  readonly web: HandServer;
  /** The streams opened so far. */
  readonly streams: ServerResponse[] = [];
  readonly notices: string[] = [];
  endpoint = '/messages?sessionId=1';
  /** The status with which it refuses messages at its URL. */
  refusal = 405;
  /** How it handles messages at its endpoint, by method. */
  readonly taken: Record<string, Answer> = {
    initialize: this.answering(OLD_INITIALIZED),
    'notifications/initialized': status(202),
    'notifications/cancelled': status(202),
    'tools/call': this.answering('{"content":[]}'),
    answer: status(202),
  };
  readonly #openWire: OpenWire;

  private constructor(web: HandServer) {
    this.web = web;
    const receive: Answer = (received, response) => {
      const take = this.taken[received.message.method ?? 'answer'] ?? status(500);
      (received.url.startsWith('/sse') ? status(this.refusal) : take)(received, response);
    };
    for (const method of [...Object.keys(this.taken), 'server/discover']) web.answers[method] = receive;
    web.answers['GET'] = (received, response) => {
      this.streams.push(response);
      stream(() => [`event: endpoint\ndata: ${this.endpoint}\n\n`], 'stay')(received, response);
    };
    const note = (message: string): void => void web.warnings.push(message);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    this.#openWire = openWebWire({
      server: 's',
      url: new URL(`${web.origin}/sse?tenant=1`),
      headers: { authorization: 'Bearer key-1', 'x-own': 'yes' },
      connectTimeoutMs: 2_000,
      limits: { ...DEFAULT_LIMITS, maxMessageBytes: OLD_MAX_BYTES },
      log,
    });
  }

  static async start(): Promise<OldServer> {
    return new OldServer(await HandServer.start());
  }

  connect(): Connection {
    return this.web.connect({
      openWire: this.#openWire,
      onNotice: (method, params) => void this.notices.push(`${method} ${params}`),
    });
  }

  /** Sends a message on the latest stream. */
  say(text: string): void {
    this.streams.at(-1)!.write(event(text));
  }

  /** Accepts the message and answers it on the stream. */
  answering(result: string): Answer {
    return ({ message }, response) => {
      response.writeHead(202).end('Accepted');
      this.say(resultOf(message.id!, result));
    };
  }

  /** The messages received, with their URL. */
  get posted(): string[] {
    return this.web.received.map(({ method, url, message }) => `${message.method ?? method} ${url}`);
  }
}
