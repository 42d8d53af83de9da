import type { ServerResponse } from 'node:http';
import type { ByteText } from '../../core/wire/byte-text.ts';
import type { Reply } from './reply.ts';

export interface HttpReplyOptions {
  readonly response: ServerResponse;
  /** The client takes a stream of events. */
  readonly canStream: boolean;
  /** Progress is dropped while more than this waits for a slow client. */
  readonly maxUnsentBytes: number;
  /** Once, when the answer has been given. */
  onDone(reply: HttpReply): void;
}

/** Answers by plain JSON; becomes a stream of events when there is something to say before the answer. */
export class HttpReply implements Reply {
  sessionId: string | undefined;
  readonly #options: HttpReplyOptions;
  #isStream = false;
  #isDone = false;

  constructor(options: HttpReplyOptions) {
    this.#options = options;
  }

  answer(text: ByteText, status: number): void {
    if (this.#isDone) return;
    const { response } = this.#options;
    if (this.#isStream) response.end(toEvent(text), 'latin1');
    else if (!response.destroyed) {
      const headers = ['content-type', 'application/json', 'content-length', String(text.length)];
      if (this.sessionId !== undefined) headers.push('mcp-session-id', this.sessionId);
      response.writeHead(status, headers).end(text, 'latin1');
    }
    this.#done();
  }

  notify(text: ByteText): void {
    const { response, canStream, maxUnsentBytes } = this.#options;
    if (!canStream || this.#isDone || response.destroyed || response.writableLength > maxUnsentBytes) return;
    this.#openStream();
    response.write(toEvent(text), 'latin1');
  }

  accept(): void {
    if (this.#isDone) return;
    this.#options.response.writeHead(202).end();
    this.#done();
  }

  /** A sign of life, so that no client or proxy takes a long call for a dead one. */
  keepAlive(): void {
    const { response, canStream } = this.#options;
    if (!canStream || this.#isDone || response.destroyed) return;
    this.#openStream();
    response.write(': still working\n\n', 'latin1');
  }

  #openStream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    const headers = [
      'content-type',
      'text/event-stream',
      'cache-control',
      'no-cache',
      'x-accel-buffering',
      'no',
    ];
    if (this.sessionId !== undefined) headers.push('mcp-session-id', this.sessionId);
    this.#options.response.writeHead(200, headers);
  }

  #done(): void {
    this.#isDone = true;
    this.#options.onDone(this);
  }
}

const toEvent = (text: ByteText): ByteText =>
  `event: message\ndata: ${/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, ' ') : text}\n\n`;
