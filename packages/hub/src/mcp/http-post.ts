/** One POST from its first byte to its last: reads the message and dispatches it. */
import { ShortLivedMap } from '../lib/short-lived-map.ts';
import type { IncomingMessage } from 'node:http';
import { STRANGER } from '../core/client.ts';
import { LEGACY_VERSIONS, MARK_HEADER, RPC, WAIT_HEADER, type Era } from '../core/protocol.ts';
import type { Running } from '../core/request.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { MalformedMessageError, parseMessage, type Message } from '../core/wire/message.ts';
import { Batch, BATCH_VERSION, isBatch, readBatch } from './batch.ts';
import type { Sender } from './dispatch.ts';
import { header, isJsonType } from '../http/header.ts';
import { HttpReply, reviveSession } from './http-reply.ts';
import {
  NO_SESSION,
  NO_SLOT,
  NOT_JSON,
  TOO_SLOW,
  tooLarge,
  WRONG_METHOD,
  failureOfError,
  type Reply,
  type RpcFailure,
} from './reply.ts';
import { ModernClient } from './modern-client.ts';
import { checkEnvelope, eraOf, unsupported } from './modern-envelope.ts';
import type { Session } from './sessions.ts';

/**
 * How much is read of a request without a slot: enough for `notifications/cancelled`, or for the answer to a question.
 */
const MAX_SMALL_BYTES = 64 * 1024;

/** The longest delay of a timer. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/** A longer mark is truncated. */
const MAX_MARK_CHARS = 64;

export class HttpPost extends HttpReply {
  #chunks: Buffer[] | undefined = [];
  #size = 0;
  #waits: NodeJS.Timeout | undefined;

  override start(): void {
    super.start();
    const { request } = this;
    const { headers } = request;
    const { maxMessageBytes } = this.host.parts.limits;
    const length = Number(headers['content-length']);
    // A request without a slot may still cancel a call, or answer a question that a call waits for.
    if (this.holding === 'nothing' && !(length <= MAX_SMALL_BYTES)) return this.#refuse(NO_SLOT);
    if (request.method !== 'POST') return this.#refuse(WRONG_METHOD);
    if (!isJsonType(headers['content-type'])) return this.#refuse(NOT_JSON);
    if (length > maxMessageBytes) return this.#refuse(tooLarge(maxMessageBytes));
    request.on('data', (chunk: Buffer) => this.#onData(chunk));
    request.on('end', () => this.#onEnd());
  }

  /** Called periodically: gives up a body that takes too long. */
  override check(now: number): void {
    if (this.#chunks === undefined) {
      if (this.running !== undefined) this.keepUp(now);
    } else if (now - this.since >= this.host.parts.limits.bodyTimeoutMs) this.#refuse(TOO_SLOW);
  }

  protected override onGone(): void {
    this.#chunks = undefined;
    clearTimeout(this.#waits);
  }

  #onData(chunk: Buffer): void {
    if (this.#chunks === undefined) return;
    this.#size += chunk.length;
    const { maxMessageBytes } = this.host.parts.limits;
    if (this.#size > maxMessageBytes) this.#refuse(tooLarge(maxMessageBytes));
    else this.#chunks.push(chunk);
  }

  #onEnd(): void {
    const chunks = this.#chunks;
    if (chunks === undefined) return;
    this.#chunks = undefined;
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, this.#size);
    try {
      this.#onText(body.toString('latin1'));
    } catch (error) {
      const instead = this.#insteadOf(error, body.toString('latin1'));
      if (instead !== undefined) return this.answer(instead, 200);
      const { failure, id } = failureOfError(error, this.host.parts.log);
      this.refuse(failure, id);
    }
  }

  #insteadOf(error: unknown, text: ByteText): ByteText | undefined {
    if (!(error instanceof MalformedMessageError)) return undefined;
    const { rpcCode, id } = error;
    return rpcCode === RPC.invalidParams && id !== undefined
      ? this.host.parts.onBadParams?.(text, id)
      : undefined;
  }

  #onText(text: ByteText): void {
    const session = text.startsWith('{') ? undefined : this.#findSession();
    if (isBatch(text, session?.client ?? this.#sessionless())) this.#onBatch(text, session);
    else this.#onMessage(parseMessage(text));
  }

  /** 2025-06-18, transports: a client that names no version is assumed to speak 2025-03-26. */
  #sessionless(): { version: string | undefined } {
    const { sessions } = this.host.parts;
    const version = header(this.request.headers['mcp-protocol-version']) ?? BATCH_VERSION;
    return { version: sessions === undefined ? version : undefined };
  }

  #onBatch(text: ByteText, session: Session | undefined): void {
    if (this.holding === 'nothing') return this.refuse(NO_SLOT);
    this.session = session;
    const batch = new Batch(readBatch(text), {
      reply: this,
      running: session?.running ?? new ShortLivedMap(),
      log: this.host.parts.log,
      perform: (message, reply) => this.#perform(message, 'legacy', reply),
    });
    this.running = batch;
    batch.start();
  }

  #onMessage(message: Message): void {
    const { id, method } = message;
    if (this.holding === 'nothing' && id !== undefined && method !== undefined)
      return this.refuse(NO_SLOT, id);
    const { headers } = this.request;
    const version = header(headers['mcp-protocol-version']);
    const era = eraOf(message, version);
    if (era === 'modern') {
      const failure = id === undefined ? undefined : checkModern(message, headers);
      if (failure !== undefined) return this.refuse(failure, id);
    } else {
      if (version !== undefined && !LEGACY_VERSIONS.includes(version))
        return this.refuse(unsupported(version), id);
      const isStateless = this.host.parts.sessions === undefined;
      this.isNewSession = method === 'initialize' && !isStateless;
      this.session = this.isNewSession ? this.#createSession() : this.#findSession();
      if (this.session === undefined && headers['mcp-session-id'] !== undefined && !isStateless)
        return this.refuse(NO_SESSION, id);
    }
    this.running = this.#perform(message, era, this);
    if (this.running === undefined || headers[WAIT_HEADER] === undefined) return;
    const waitMs = this.#waitMs();
    if (waitMs !== undefined) this.#endIn(waitMs, this.running);
  }

  /** A client that sent its timeout and stays connected learns whether the call had begun. */
  #endIn(waitMs: number, running: Running): void {
    const cancel = (): void => running.cancel(`no answer within ${waitMs} ms`);
    this.#waits = setTimeout(cancel, Math.min(waitMs, MAX_WAIT_MS)).unref();
  }

  #waitMs(): number | undefined {
    const waitMs = Number(header(this.request.headers[WAIT_HEADER]));
    return waitMs > 0 ? waitMs : undefined;
  }

  #perform(message: Message, era: Era, reply: Reply): Running | undefined {
    if (message.method === 'notifications/initialized') this.#welcome();
    return this.host.parts.dispatch(message, this.#senderOf(message, era), reply);
  }

  #createSession(): Session | undefined {
    return this.host.parts.sessions?.create(this.caller.id, this.host.borrow);
  }

  #findSession(): Session | undefined {
    const id = header(this.request.headers['mcp-session-id']);
    const { sessions } = this.host.parts;
    if (id === undefined || sessions === undefined) return undefined;
    return sessions.find(id, this.caller.id) ?? reviveSession(this.host, this, id);
  }

  #welcome(): void {
    const { session, caller, view } = this;
    session?.client.begin(() => this.host.parts.onClient(session.client, caller, view));
  }

  #senderOf(message: Message, era: Era): Sender {
    const { caller, view, session } = this;
    return {
      caller,
      surface: this.host.parts.surface ?? 'http',
      view,
      era,
      client: era === 'modern' ? new ModernClient(message) : (session?.client ?? STRANGER),
      legacy: session?.client,
      running: session?.running ?? new ShortLivedMap(),
      headers: era === 'modern' ? readerOf(this.request.headers) : undefined,
      timeoutMs: this.#waitMs(),
      mark: header(this.request.headers[MARK_HEADER])?.slice(0, MAX_MARK_CHARS),
    };
  }

  #refuse(failure: RpcFailure): void {
    this.#chunks = undefined;
    this.refuse(failure);
  }
}

const checkModern = (message: Message, headers: IncomingMessage['headers']): RpcFailure | undefined =>
  checkEnvelope(message, {
    'mcp-protocol-version': header(headers['mcp-protocol-version']),
    'mcp-method': header(headers['mcp-method']),
    'mcp-name': header(headers['mcp-name']),
  });

const readerOf =
  (headers: IncomingMessage['headers']): Sender['headers'] =>
  (name) =>
    header(headers[name.toLowerCase()]);
