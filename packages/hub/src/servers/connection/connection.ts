/** One negotiated connection: maps the hub's ids and progress tokens to the callers'. */
import { PincerError } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown } from '../../core/outcome.ts';
import type { Clock } from '../../core/ports.ts';
import type { Era } from '../../core/protocol.ts';
import {
  NOTHING_RUNS,
  type Exchange,
  type Running,
  type SourceRequest,
  startLater,
} from '../../core/request.ts';
import { quoted, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import {
  OwnRequests,
  answered,
  callTimeoutMs,
  lostWith,
  meansGone,
  timedOut,
  PendingCalls,
  type PendingCall,
} from './pending-calls.ts';
import { writeCallParams } from './call-params.ts';
import { correlationId } from '../../lib/correlation-id.ts';
import { createLogVolume, type LogVolume, ServerNotices } from './server-notices.ts';
import { RootsFirst } from './roots-first.ts';
import { ServerQuestions } from './server-questions.ts';
import type { OpenWire, Wire } from '../wire.ts';
import type { Abilities, Client } from '../../core/client.ts';

export interface ConnectionOptions {
  readonly server: string;
  readonly openWire: OpenWire;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
  readonly maxCallMs: number;
  /** How long a client may take to answer a server's question. */
  readonly questionTimeoutMs: number;
  /** The client that this connection belongs to, if it belongs to one. */
  readonly owner: Client | undefined;
  /** The capabilities that the server was told; it may ask for no more, even if a client could do more. */
  readonly abilities: Abilities;
  /** Which roots the server gets: those of the owner, or of each call's client. */
  readonly roots?: 'of-owner' | 'of-each-call' | undefined;
  /** A notification that belongs to no call; `params` is a JSON object. */
  onNotice(method: string, params: ByteText): void;
  onClosed(reason: PincerError): void;
}

const SHOWN_OF_SESSION = 8;

export class Connection {
  era: Era = 'legacy';
  readonly #options: ConnectionOptions;
  readonly #wire: Wire;
  readonly #calls: PendingCalls;
  readonly #own: OwnRequests;
  readonly #questions: ServerQuestions;
  readonly #rootsFirst: RootsFirst | undefined;
  readonly #volume: LogVolume;
  readonly #notices: ServerNotices;
  /** Resources that the client of this connection subscribed to. */
  readonly #subscribed = new Set<string>();
  #closed: PincerError | undefined;
  #retired: PincerError | undefined;
  #lastUsed: number;
  #lastMessageAt: number;
  /** A call timed out, and no message has arrived since. */
  #isSuspect = false;
  /** When a call that the server had received was last cancelled. */
  #cancelledAt = -Infinity;

  constructor(options: ConnectionOptions) {
    const { server, clock, requestTimeoutMs, questionTimeoutMs } = options;
    this.#options = options;
    this.#own = new OwnRequests(server);
    this.#calls = new PendingCalls({
      clock,
      onExpired: (call) => {
        this.#isSuspect = true;
        this.#cancel(call, timedOut(server, call));
      },
    });
    this.#rootsFirst =
      options.roots === undefined
        ? undefined
        : new RootsFirst({
            isForOneCall: options.roots === 'of-each-call',
            ping: (timeoutMs) => this.ask('ping', '{}', timeoutMs),
            tellChanged: () => this.tell(ROOTS_CHANGED, '{}'),
            giveUp: (reason) => void this.close(reason),
          });
    this.#questions = new ServerQuestions({
      rootsFirst: this.#rootsFirst,
      calls: this.#calls,
      owner: options.owner,
      abilities: options.abilities,
      timeoutMs: questionTimeoutMs,
      send: (text) => this.#wire.send(text, NO_ANSWER_AWAITED),
      isReady: () => this.#wire.isReady,
      callOf: (via) => this.#notices.callOf(via),
      mayAskForCancelledCall: () => clock.elapsed() - this.#cancelledAt < LATE_QUESTION_MS,
    });
    this.#volume = createLogVolume((params) =>
      this.ask('logging/setLevel', params, requestTimeoutMs).then(() => undefined),
    );
    this.#notices = new ServerNotices({
      calls: this.#calls,
      volume: this.#volume,
      owner: options.owner,
      onOffer: options.onNotice,
    });
    this.#lastUsed = clock.elapsed();
    this.#lastMessageAt = this.#lastUsed;
    this.#wire = options.openWire({
      onMessage: (message, via) => this.#receiveSafely(message, via),
      onRequestLost: (id, wasSent, reason) => this.#lose(id, wasSent, reason),
      onSessionEnded: (reason) => this.retire(reason),
      onClosed: (reason) => this.#end(reason),
      onDrain: () => this.#sendHeld(),
    });
  }

  get pid(): number | undefined {
    return this.#wire.pid;
  }

  /** The beginning of the session id. The full id is a secret: it gives access to the session. */
  get session(): string | undefined {
    return this.#wire.session?.slice(0, SHOWN_OF_SESSION);
  }

  /** Whether new calls may begin. */
  get isOpen(): boolean {
    return this.#closed === undefined && this.#retired === undefined;
  }

  get inFlight(): number {
    return this.#calls.size + (this.#rootsFirst?.waiting ?? 0);
  }

  /** A connection with subscriptions is never idle. */
  get idleMs(): number {
    return this.inFlight > 0 || this.#subscribed.size > 0
      ? 0
      : this.#options.clock.elapsed() - this.#lastUsed;
  }

  /** Time since the last message of the server. */
  get silentMs(): number {
    return this.#options.clock.elapsed() - this.#lastMessageAt;
  }

  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** Sets the era and version; the version is undefined until it is negotiated. */
  speak(era: Era, version: string | undefined): void {
    this.era = era;
    this.#wire.speak(version);
  }

  /** Completes the handshake; `canLog` if the server has log messages with a level. */
  begin(canLog: boolean): void {
    if (this.era === 'legacy') {
      this.tell('notifications/initialized', '{}');
      this.#wire.listen();
      if (canLog) this.#volume.enable();
    }
  }

  call(request: SourceRequest, exchange: Exchange): Running {
    const roots = this.era === 'legacy' ? this.#rootsFirst : undefined;
    return roots === undefined
      ? this.#callNow(request, exchange)
      : roots.start(exchange, () => this.#callNow(request, exchange));
  }

  #callNow(request: SourceRequest, exchange: Exchange): Running {
    const louder = this.#volume.raiseFor(request);
    return louder === undefined
      ? this.#start(request, exchange)
      : startLater(louder, () => this.#start(request, exchange), exchange);
  }

  /**
   * Sends a request of Pincer itself. Resolves with the answer, including a JSON-RPC error. Without a timeout it may
   * last forever.
   */
  ask(method: string, params: ByteText, timeoutMs: number | undefined): Promise<Message> {
    return this.startAsk(method, params, timeoutMs).answer;
  }

  /** As `ask`, but can be abandoned. */
  startAsk(
    method: string,
    params: ByteText,
    timeoutMs: number | undefined,
  ): { answer: Promise<Message>; abandon(): void } {
    if (this.#closed !== undefined) return { answer: Promise.reject(this.#closed), abandon: () => undefined };
    const id = correlationId();
    const answer = this.#own.await(id, method, timeoutMs, () => this.#wire.forget(id));
    const text = `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`;
    this.#wire.send(text, { id, method, name: undefined });
    return { answer, abandon: () => this.#abandon(id) };
  }

  tell(method: string, params: ByteText): void {
    if (method === ROOTS_CHANGED) this.#rootsFirst?.changed();
    if (this.#closed === undefined)
      this.#wire.send(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`, {
        id: undefined,
        method,
        name: undefined,
      });
  }

  async close(reason: PincerError): Promise<void> {
    this.#end(reason);
    await this.#wire.close();
  }

  #start(request: SourceRequest, exchange: Exchange): Running {
    if (this.#closed !== undefined) {
      exchange.settle(notExecuted(this.#closed));
      return NOTHING_RUNS;
    }
    const { clock, requestTimeoutMs, maxCallMs } = this.#options;
    const timeoutMs = callTimeoutMs(request, requestTimeoutMs, maxCallMs);
    const now = clock.elapsed();
    const id = correlationId();
    const params = writeCallParams(request, this.era, id);
    const text = `{"jsonrpc":"2.0","id":"${id}","method":"${request.method}","params":${params}}`;
    const call: PendingCall = {
      id,
      request,
      exchange,
      progressToken: findMember(request.meta, 'progressToken'),
      deadline: now + timeoutMs,
      timeoutMs,
      endsBy: now + Math.max(requestTimeoutMs, maxCallMs),
      held: undefined,
      questions: 0,
    };
    this.#notices.admit(request.caller.id);
    if (request.method === 'resources/subscribe') this.#subscribed.add(request.name!);
    else if (request.method === 'resources/unsubscribe') this.#subscribed.delete(request.name!);
    this.#calls.add(call);
    if (this.#wire.isReady) this.#send(call, text);
    else call.held = text;
    return {
      cancel: (reason) => this.#cancel(call, new PincerError('CALL_CANCELLED', `Cancelled: ${reason}.`)),
    };
  }

  #send({ id, request }: PendingCall, text: ByteText): void {
    const { method, name, headers } = request;
    this.#wire.send(text, { id, method, name, headers });
  }

  /** An exception while handling a message closes this connection, not the hub. */
  #receiveSafely(message: Message, via: string | undefined): void {
    this.#lastMessageAt = this.#options.clock.elapsed();
    this.#isSuspect = false;
    try {
      this.#receive(message, via);
    } catch (error) {
      void this.close(PincerError.from(error));
    }
  }

  #receive(message: Message, via: string | undefined): void {
    const { method, id } = message;
    if (method === undefined) this.#receiveAnswer(message);
    else if (id !== undefined) this.#questions.receive(message, id, method, via);
    else if (method === 'notifications/cancelled') this.#questions.withdraw(message);
    else this.#notices.receive(method, message, via);
  }

  #receiveAnswer(message: Message): void {
    const id = message.id!.startsWith('"') ? plainString(message.id!) : message.id!;
    const call = this.#take(id);
    if (call === undefined) this.#own.settle(id, message);
    else {
      if (message.error !== undefined && call.request.method === 'resources/subscribe')
        this.#subscribed.delete(call.request.name!);
      call.exchange.settle(answered(message, this.era));
    }
  }

  #take(id: string): PendingCall | undefined {
    const call = this.#calls.take(id);
    if (call === undefined) return undefined;
    if (call.questions > 0) this.#questions.forget(call);
    if (this.#calls.size === 0) {
      this.#lastUsed = this.#options.clock.elapsed();
      if (this.#retired !== undefined) void this.close(this.#retired);
    }
    return call;
  }

  #cancel(call: PendingCall, reason: PincerError): void {
    if (this.#take(call.id) === undefined) return;
    if (call.held === undefined) {
      this.#cancelledAt = this.#options.clock.elapsed();
      this.#tellCancelled(call.id, reason.message);
    }
    call.exchange.settle(call.held === undefined ? outcomeUnknown(reason) : notExecuted(reason));
  }

  #tellCancelled(id: string, reason: string): void {
    const params = `{"requestId":"${id}","reason":${quoted(reason)}}`;
    if (!this.#wire.forget(id)) this.tell('notifications/cancelled', params);
  }

  #abandon(id: string): void {
    if (this.#own.settle(id, new PincerError('CALL_CANCELLED', 'No longer needed.')))
      this.#tellCancelled(id, 'no longer needed');
  }

  #lose(id: string, wasSent: boolean, reason: PincerError): void {
    const call = this.#take(id);
    if (call === undefined) this.#own.settle(id, reason);
    else {
      if (!wasSent && meansGone(reason)) this.retire(reason);
      call.exchange.settle(wasSent ? outcomeUnknown(reason) : notExecuted(reason));
    }
  }

  #sendHeld(): void {
    for (const call of this.#calls) {
      if (call.held === undefined) continue;
      if (!this.#wire.isReady) return;
      const text = call.held;
      call.held = undefined;
      this.#send(call, text);
    }
  }

  /** Takes no new calls. Its owner treats it as closed; it closes after the calls under way. */
  retire(reason: PincerError): void {
    if (!this.isOpen) return;
    this.#retired = reason;
    this.#options.onClosed(reason);
    if (this.#calls.size === 0) void this.close(reason);
  }

  #end(reason: PincerError): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#questions.forgetAll();
    for (const { exchange, held } of this.#calls.takeAll())
      exchange.settle(held === undefined ? outcomeUnknown(lostWith(reason)) : notExecuted(reason));
    this.#own.failAll(reason);
    if (this.#retired === undefined) this.#options.onClosed(reason);
  }
}

/** A server may go on with a cancelled call and ask questions for it. */
const LATE_QUESTION_MS = 60_000;

const ROOTS_CHANGED = 'notifications/roots/list_changed';

const NO_ANSWER_AWAITED = { id: undefined, method: '', name: undefined } as const;
