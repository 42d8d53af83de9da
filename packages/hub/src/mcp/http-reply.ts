/** The answering half of one POST: a plain JSON document, or a stream of events when there is something to say before. */
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

/** What the requests of one listener have in common. */
export interface HttpHost {
  readonly parts: McpHttpParts;
  /** An answer that stays open takes a share of the streams for its slot. False: there is none left. */
  linger(reply: HttpReply): boolean;
  /** A call that waits for a person gives its slot up, and takes it again. */
  pause(reply: HttpReply): void;
  goOn(reply: HttpReply): void;
  /** An answer under way that takes what belongs to a session and to no call. */
  borrow(session: Session): HttpReply | undefined;
  /** Told once, when the answer has left or nobody waits for it any more. */
  onClosed(reply: HttpReply): void;
}

export interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly view: View;
}

/** What a request takes up until it is closed. */
type Holding = 'slot' | 'stream' | 'pause' | 'nothing';

/** A base class and not an object of its own: this is made once per call, on the hot path. */
export abstract class HttpReply implements Reply {
  readonly caller: Caller;
  holding: Holding;
  protected readonly host: HttpHost;
  readonly request: IncomingMessage;
  readonly view: View;
  protected session: Session | undefined;
  /** The client gets to know its session by a header of the answer, which so is no stream. */
  protected isNewSession = false;
  /** When it came; then when the client last heard of it, or was cut off. */
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

  /** Once in a while, with the time. */
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

  /** Whether what belongs to no call, but to this session, may be said here. */
  carries(session: Session): boolean {
    return this.session === session && this.running !== undefined && !this.#isDone && this.#takesStream();
  }

  /** A long call shows a sign of life; one whose client was cut off and did not come back is given up. */
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

  /** Whoever's credential has been revoked hears nothing more, and what they asked for is given up. */
  endIfRevoked(): void {
    // An answer that was given while there was something to ask is read to its end.
    if (this.#isAllowed() && (this.#isDone || this.#isThere())) return;
    const wasDone = this.#isDone;
    this.#isDone = true;
    if (!wasDone) this.running?.cancel('its token was revoked');
    // What has arrived of it is not read to its end.
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

  /** Whatever was held for it can go. */
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

  /** Only now is the slot free: an answer that a slow client has not read yet still takes up memory. */
  #onDropped(): void {
    if (!this.#isDone && this.#stream?.canResume) {
      // Disconnection is not cancellation: the client may come back to the stream.
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

/** An answer of megabytes, in which the same piece may stand several times: none is copied more than once. */
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

/** Nobody waits for the answer to an `initialize` that was answered in an earlier life. */
const NOBODY: Reply = {
  notify: () => undefined,
  ask: () => false,
  answer: () => undefined,
  accept: () => undefined,
  linger: () => undefined,
  pause: () => undefined,
  goOn: () => true,
};

/**
 * OpenClaw keeps its sessions over a restart of the hub, and takes a 404 for a failed call. So its sessions come back
 * under their old ids: the credential says who is asking, and the client can be asked nothing. Undefined for all other
 * clients: they begin a new session when they are told that the old one has gone.
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
  dispatch(parseMessage(initialize), { ...sender, headers: undefined }, NOBODY);
  client.begin(() => onClient(client, caller, view));
  return session;
}
