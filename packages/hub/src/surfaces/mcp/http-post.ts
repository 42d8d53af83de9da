/** One POST from its first byte to its last: reads the message, lets it be dispatched, is where the answer goes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.ts';
import type { View } from '../../core/catalog.ts';
import { LEGACY_VERSIONS } from '../../core/protocol.ts';
import type { Running } from '../../core/request.ts';
import { asBytes, oneLine, type ByteText } from '../../core/wire/byte-text.ts';
import { parseMessage, type Message } from '../../core/wire/message.ts';
import type { Sender } from './dispatch.ts';
import type { McpHttpParts } from './http.ts';
import { NO_SESSION, NO_SLOT, NOT_JSON, TOO_SLOW, tooLarge, WRONG_METHOD } from './http-refusals.ts';
import { failureOfError } from './message-failure.ts';
import { checkEnvelope, checkHeaders, eraOf, unsupported } from './modern-envelope.ts';
import { errorText, type Reply, type RpcFailure } from './reply.ts';
import type { Session } from './sessions.ts';

/** What the posts of one listener have in common. */
export interface PostHost {
  readonly parts: McpHttpParts;
  /** Told once, when the answer has left or nobody waits for it any more. */
  onClosed(post: HttpPost): void;
}

export interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly view: View;
}

/** What is read of a request that found no slot: enough for `notifications/cancelled`. */
const MAX_NOTIFICATION_BYTES = 64 * 1024;

/** A class and not closures: this is made once per call, on the hot path. */
export class HttpPost implements Reply {
  readonly caller: Caller;
  readonly hasSlot: boolean;
  readonly #host: PostHost;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #view: View;
  /** When it came; then when the client last heard of it. */
  #since: number;
  #chunks: Buffer[] | undefined = [];
  #size = 0;
  #running: Running | undefined;
  #sessionId: string | undefined;
  #isStream = false;
  #isDone = false;

  constructor(host: PostHost, { request, response, caller, view }: Arrival, hasSlot: boolean, now: number) {
    this.#host = host;
    this.#request = request;
    this.#response = response;
    this.caller = caller;
    this.#view = view;
    this.hasSlot = hasSlot;
    this.#since = now;
  }

  start(): void {
    const request = this.#request;
    const { headers } = request;
    const { maxMessageBytes } = this.#host.parts.limits;
    this.#response.on('close', () => this.#onClose());
    // Who has no slot may still take something back.
    if (!this.hasSlot && !(Number(headers['content-length']) <= MAX_NOTIFICATION_BYTES))
      return this.#refuse(NO_SLOT);
    if (request.method !== 'POST') return this.#refuse(WRONG_METHOD);
    if (!isJson(headers['content-type'])) return this.#refuse(NOT_JSON);
    if (Number(headers['content-length'] ?? 0) > maxMessageBytes)
      return this.#refuse(tooLarge(maxMessageBytes));
    request.on('data', (chunk: Buffer) => this.#onData(chunk));
    request.on('end', () => this.#onEnd());
  }

  /** Once in a while: a body that takes too long is given up, a long call shows a sign of life. */
  check(now: number): void {
    const { bodyTimeoutMs, keepAliveMs } = this.#host.parts.limits;
    const waited = now - this.#since;
    if (this.#chunks !== undefined) {
      if (waited >= bodyTimeoutMs) this.#refuse(TOO_SLOW);
    } else if (this.#running !== undefined && waited >= keepAliveMs) {
      this.#since = now;
      this.#event(': still working\n\n');
    }
  }

  answer(text: ByteText, status: number): void {
    if (this.#isDone) return;
    const response = this.#response;
    if (this.#isStream) response.end(asBytes(toEvent(text)), 'latin1');
    else if (!response.destroyed) {
      const headers = ['content-type', 'application/json', 'content-length', String(text.length)];
      if (this.#sessionId !== undefined) headers.push('mcp-session-id', this.#sessionId);
      response.writeHead(status, headers).end(asBytes(text), 'latin1');
    }
    this.#isDone = true;
  }

  /** Plain JSON becomes a stream of events when there is something to say before the answer. */
  notify(text: ByteText): void {
    if (this.#response.writableLength <= this.#host.parts.limits.maxUnsentToClientBytes)
      this.#event(toEvent(text));
  }

  accept(): void {
    if (this.#isDone) return;
    if (!this.#response.destroyed) this.#response.writeHead(202).end();
    this.#isDone = true;
  }

  #event(text: ByteText): void {
    const response = this.#response;
    if (this.#isDone || response.destroyed || !this.#request.headers.accept?.includes('text/event-stream'))
      return;
    if (!this.#isStream) {
      this.#isStream = true;
      response.writeHead(200, [
        'content-type',
        'text/event-stream',
        'cache-control',
        'no-cache',
        'x-accel-buffering',
        'no',
      ]);
    }
    response.write(asBytes(text), 'latin1');
  }

  #onData(chunk: Buffer): void {
    if (this.#chunks === undefined) return;
    this.#size += chunk.length;
    const { maxMessageBytes } = this.#host.parts.limits;
    if (this.#size > maxMessageBytes) this.#refuse(tooLarge(maxMessageBytes));
    else this.#chunks.push(chunk);
  }

  #onEnd(): void {
    const chunks = this.#chunks;
    if (chunks === undefined) return;
    this.#chunks = undefined;
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, this.#size);
    try {
      this.#onMessage(parseMessage(body.toString('latin1')));
    } catch (error) {
      const { failure, id } = failureOfError(error, this.#host.parts.log);
      this.#refuse(failure, id);
    }
  }

  #onMessage(message: Message): void {
    if (!this.hasSlot && message.id !== undefined) return this.#refuse(NO_SLOT, message.id);
    const version = header(this.#request.headers['mcp-protocol-version']);
    const era = eraOf(message, version);
    let session: Session | undefined;
    if (era === 'modern') {
      const failure = message.id === undefined ? undefined : checkModern(message, this.#request.headers);
      if (failure !== undefined) return this.#refuse(failure, message.id);
    } else {
      if (version !== undefined && !LEGACY_VERSIONS.includes(version))
        return this.#refuse(unsupported(version), message.id);
      session = this.#session(message);
      if (session === undefined && this.#request.headers['mcp-session-id'] !== undefined)
        return this.#refuse(NO_SESSION, message.id);
    }
    const sender: Sender = {
      caller: this.caller,
      surface: 'http',
      view: this.#view,
      era,
      session: session?.id,
      canNotify: false,
      running: session?.running ?? new Map(),
    };
    this.#running = this.#host.parts.dispatch(message, sender, this);
  }

  #session(message: Message): Session | undefined {
    const { sessions } = this.#host.parts;
    if (message.method === 'initialize') {
      const session = sessions.create(this.caller.id);
      this.#sessionId = session.id;
      return session;
    }
    const id = header(this.#request.headers['mcp-session-id']);
    return id === undefined ? undefined : sessions.find(id, this.caller.id);
  }

  #refuse(failure: RpcFailure, id?: ByteText): void {
    if (this.#isDone) return;
    this.#chunks = undefined;
    this.#host.parts.refuse(this.#response, failure, errorText(id, failure));
    this.#isDone = true;
  }

  /** Only now is the slot free: an answer that a slow client has not read yet still takes up memory. */
  #onClose(): void {
    if (!this.#isDone) this.#running?.cancel('the client went away');
    this.#isDone = true;
    this.#chunks = undefined;
    this.#host.onClosed(this);
  }
}

const checkModern = (message: Message, headers: IncomingMessage['headers']): RpcFailure | undefined =>
  checkHeaders(message, {
    'mcp-protocol-version': header(headers['mcp-protocol-version']),
    'mcp-method': header(headers['mcp-method']),
    'mcp-name': header(headers['mcp-name']),
  }) ?? checkEnvelope(message);

export const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const JSON_TYPE = /^application\/json *(;|$)/i;
const isJson = (type: string | undefined): boolean =>
  type === 'application/json' || (type !== undefined && JSON_TYPE.test(type));

const toEvent = (text: ByteText): ByteText => `event: message\ndata: ${oneLine(text)}\n\n`;
