/** The answering half of one POST: a JSON document, or an event stream if messages precede the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../core/caller.ts';
import type { View } from '../core/catalog/catalog.ts';
import type { Running } from '../core/request.ts';
import { asBytes, type ByteText, jsonBytes } from '../core/wire/byte-text.ts';
import { EventStream, takesEvents } from './event-stream.ts';
import type { McpHttpParts } from './http.ts';
import {
  NO_EVENTS,
  TOO_MANY_STREAMS,
  errorText,
  QUESTION_SLACK,
  type Reply,
  type RpcFailure,
} from './reply.ts';
import type { Session } from './sessions.ts';
import { parseMessage } from '../core/wire/message.ts';

/** Shared by all requests of one listener. */
export interface HttpHost {
  readonly parts: McpHttpParts;
  /** Exchanges the slot of an answer that stays open for a stream. Returns false if no stream is free. */
  linger(reply: HttpReply): boolean;
  /** Releases the slot while a call waits for a person; `goOn` takes it again. */
  pause(reply: HttpReply): void;
  goOn(reply: HttpReply): void;
  /** Finds a running answer that can carry messages of the session that belong to no call. */
  borrow(session: Session): HttpReply | undefined;
  /** Called once, when the answer was sent or its client has disconnected. */
  onClosed(reply: HttpReply): void;
}

export interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly view: View;
}

/** What a request occupies until it is closed. */
type Holding = 'slot' | 'stream' | 'pause' | 'nothing';

/** A base class, not a separate object: one is created per call, on the hot path. */
export abstract class HttpReply implements Reply {
  readonly caller: Caller;
  holding: Holding;
  protected readonly host: HttpHost;
  readonly request: IncomingMessage;
  readonly view: View;
  protected session: Session | undefined;
  /** The client learns its session id from a response header, so this answer cannot be a stream. */
  protected isNewSession = false;
  /** Arrival time; later the time of the last message to the client, or of its disconnection. */
  protected since: number;
  protected running: Running | undefined;
  readonly #response: ServerResponse;
  #stream: EventStream | undefined;
  #isDone = false;

  constructor(host: HttpHost, { request, response, caller, view }: Arrival, holding: Holding) {
    this.host = host;
    this.request = request;
    this.#response = response;
    this.caller = caller;
    this.view = view;
    this.holding = holding;
    this.since = host.parts.elapsed();
  }

  /** Called periodically with the current time. */
  abstract check(now: number): void;

  start(): void {
    this.#response.on('close', () => {
      if (this.#stream === undefined) this.#onDropped();
      else this.#stream.drop(this.#response);
    });
  }

  answer(text: ByteText, status: number, pieces?: readonly ByteText[]): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#stream !== undefined) this.#endStream(this.#stream, text);
    else if (!this.#response.destroyed) {
      const headers = ['content-type', 'application/json', 'content-length', String(text.length)];
      if (this.isNewSession) headers.push('mcp-session-id', this.session!.id);
      this.#response.writeHead(status, headers);
      if (pieces === undefined) this.#response.end(asBytes(text), 'latin1');
      else sendPieces(this.#response, pieces);
    }
  }

  notify(text: ByteText): void {
    const stream = this.#openStream();
    if (stream !== undefined && stream.unsentBytes <= this.host.parts.limits.maxUnsentToClientBytes)
      stream.send(text);
  }

  ask(text: ByteText): boolean {
    const stream = this.#openStream();
    const { maxUnsentToClientBytes } = this.host.parts.limits;
    if (stream === undefined || stream.unsentBytes > QUESTION_SLACK * maxUnsentToClientBytes) return false;
    stream.send(text);
    return true;
  }

  accept(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#stream !== undefined) this.#endStream(this.#stream);
    else if (!this.#response.destroyed) this.#response.writeHead(202).end();
  }

  linger(): RpcFailure | undefined {
    if (!this.#takesStream()) return NO_EVENTS;
    if (!this.host.linger(this)) return TOO_MANY_STREAMS;
    this.#openStream();
    return undefined;
  }

  pause(): void {
    this.host.pause(this);
  }

  goOn(): boolean {
    if (!this.#isAllowed() || !this.#isThere()) return false;
    this.host.goOn(this);
    return true;
  }

  /** Whether messages of this session that belong to no call may be sent here. */
  carries(session: Session): boolean {
    return this.session === session && this.running !== undefined && !this.#isDone && this.#takesStream();
  }

  /** Keeps the stream of a long call alive, and gives up a call whose client did not resume in time. */
  protected keepUp(now: number): void {
    const { keepAliveMs, resumeWaitMs } = this.host.parts.limits;
    const waited = now - this.since;
    if (this.#stream?.isCarried === false) {
      if (waited < resumeWaitMs) return;
      this.since = Infinity;
      this.running?.cancel('the client went away');
    } else if (waited >= keepAliveMs) {
      this.since = now;
      this.#openStream()?.comment('still working');
    }
  }

  /** Ends the answer and cancels its call if its credential was revoked or its view has ended. */
  endIfRevoked(): void {
    // A finished answer is still delivered if only the view has ended.
    if (this.#isAllowed() && (this.#isDone || this.#isThere())) return;
    const wasDone = this.#isDone;
    this.#isDone = true;
    if (!wasDone) this.running?.cancel('its token was revoked');
    // Stop reading the rest of the body.
    this.onGone();
    this.#response.destroy();
    this.#stream?.end();
    if (this.#stream?.isCarried === false) this.#onDropped();
  }

  protected refuse(failure: RpcFailure, id?: ByteText): void {
    if (this.#stream !== undefined) return this.answer(errorText(id, failure), failure.status);
    if (this.#isDone) return;
    this.#isDone = true;
    this.host.parts.refuse(this.#response, failure, errorText(id, failure));
  }

  /** Release everything held for the request. */
  protected abstract onGone(): void;

  #isAllowed(): boolean {
    return this.host.parts.isValid(this.request, this.caller);
  }

  #isThere(): boolean {
    return this.host.parts.isThere?.(this.view) !== false;
  }

  #takesStream(): boolean {
    if (this.#stream !== undefined) return true;
    return !this.isNewSession && !this.#response.destroyed && takesEvents(this.request.headers.accept);
  }

  #openStream(): EventStream | undefined {
    if (this.#isDone) return undefined;
    if (this.#stream !== undefined || !this.#takesStream()) return this.#stream;
    const onDropped = (): void => this.#onDropped();
    const stream = this.session?.streams.open(onDropped) ?? new EventStream(onDropped);
    this.#stream = stream;
    stream.carryOn(this.#response, this.session?.client.takesEmptyEvents ? stream.prime() : '');
    return stream;
  }

  #endStream(stream: EventStream, text?: ByteText): void {
    stream.end(text);
    if (!stream.isCarried) this.host.onClosed(this);
  }

  /** Frees the slot only now: an answer that a slow client has not read yet still takes memory. */
  #onDropped(): void {
    if (!this.#isDone && this.#stream?.canResume) {
      // Disconnection is not cancellation: the client may resume the stream.
      this.since = this.host.parts.elapsed();
      return;
    }
    const wasDone = this.#isDone;
    this.#isDone = true;
    if (!wasDone) this.running?.cancel('the client went away');
    this.onGone();
    this.host.onClosed(this);
  }
}

/** Sends an answer of megabytes. The same piece may occur several times and is copied only once. */
export function sendPieces(response: ServerResponse, pieces: readonly ByteText[]): void {
  const made = new Map<ByteText, Buffer>();
  const bytesOf = (piece: ByteText): Buffer => {
    const bytes = made.get(piece) ?? Buffer.from(asBytes(piece), 'latin1');
    made.set(piece, bytes);
    return bytes;
  };
  const all = pieces.map(bytesOf);
  response.cork();
  for (const bytes of all) response.write(bytes);
  response.end();
  response.uncork();
}

type Asked = Pick<Arrival, 'request' | 'caller' | 'view'>;

const SESSION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Discards the answer to the replayed `initialize` of a revived session. */
const DISCARD: Reply = {
  notify: () => undefined,
  ask: () => false,
  answer: () => undefined,
  accept: () => undefined,
  linger: () => undefined,
  pause: () => undefined,
  goOn: () => true,
};

/**
 * OpenClaw keeps its sessions over a restart of the hub, and treats a 404 as a failed call. So its sessions are revived
 * under their old ids: the credential identifies the caller, and the client cannot be asked questions. Returns
 * undefined for all other clients: they begin a new session after a 404.
 */
export function reviveSession(host: HttpHost, arrival: Asked, id: string): Session | undefined {
  const { request, caller, view } = arrival;
  const { sessions, dispatch, onClient } = host.parts;
  if (sessions === undefined || caller.scopes.openClaw !== true || !SESSION_ID.test(id)) return undefined;
  const session = sessions.create(caller.id, (each) => host.borrow(each), id);
  const { client, running } = session;
  const params = { protocolVersion: request.headers['mcp-protocol-version'], capabilities: {} };
  const initialize = jsonBytes({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const sender = { caller, surface: 'http', view, era: 'legacy', client, legacy: client, running } as const;
  dispatch(parseMessage(initialize), { ...sender, headers: undefined }, DISCARD);
  client.begin(() => onClient(client, caller, view));
  return session;
}
