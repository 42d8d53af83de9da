import type { Dispatcher } from 'undici';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import { MalformedMessageError, parseMessage, type Message } from '../../core/wire/message.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { SseReader } from '../../core/wire/sse-reader.ts';
import type { Delivery } from './throttle.ts';
import {
  failureOfRest,
  failureOfStatus,
  failureOfTransport,
  waitOf,
  type HttpFailure,
  type HttpHead,
  type HttpPeer,
} from './http-failure.ts';
import { malformedAnswer } from '../connection/pending-calls.ts';

/** Shared by all exchanges of one wire. */
export interface HttpExchangeHost {
  readonly peer: HttpPeer;
  readonly limits: Limits;
  readonly log: Log;
  onMessage(message: Message, via: string | undefined): void;
  onSession(id: string): void;
  /** The stream ended before the answer: request the rest for this exchange after a delay. */
  onCut(exchange: HttpExchange, lastEventId: string, delayMs: number): void;
  /** Called once per exchange; without `failure` if the answer was delivered. */
  onEnd(exchange: HttpExchange, failure: HttpFailure | undefined): void;
}

/** The state of a request when it is sent. */
export interface SentRequest {
  /** The hub's request id; undefined for a notification, which expects no answer. */
  readonly id: string | undefined;
  /** Sent in a protocol session, which the server may have ended. */
  readonly hadSession: boolean;
  /** The server stores its events for replay (`Last-Event-ID`, legacy era). */
  readonly canResume: boolean;
  /** What to retry if the server throttles. */
  readonly delivery: Delivery | undefined;
}

/** How long a server may keep a stream open after the answer. */
const LINGER_MS = 1_000;
/**
 * The delay before a stream is resumed unless the server sets one, its limits, and how many resumes in a row may bring
 * no event.
 */
const RESUME_DELAY_MS = 1_000;
const MIN_RESUME_DELAY_MS = 100;
const MAX_RESUME_DELAY_MS = 60_000;
const MAX_FRUITLESS_RESUMES = 3;

/** One POST and its response, as a handler of undici's dispatcher. */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly sent: SentRequest;
  readonly #host: HttpExchangeHost;
  #controller: Dispatcher.DispatchController | undefined;
  #head: HttpHead = { status: 0, headers: {} };
  #sse: SseReader | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #wasSent = false;
  #answered = false;
  #ended = false;
  #lingering: NodeJS.Timeout | undefined;
  #lastEventId: string | undefined;
  #resumeDelayMs = RESUME_DELAY_MS;
  #isResumed = false;
  #fruitless = 0;

  constructor(host: HttpExchangeHost, sent: SentRequest) {
    this.#host = host;
    this.sent = sent;
  }

  get #server(): string {
    return this.#host.peer.server;
  }

  abort(): void {
    this.#ended = true;
    this.#controller?.abort(notAwaited());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) {
      controller.abort(notAwaited());
      return;
    }
    this.#controller = controller;
    this.#wasSent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#head = { status, headers };
    this.#sse = undefined;
    const wait = waitOf(this.#head);
    if (wait !== undefined) this.#resumeLater(wait);
    const session = headers['mcp-session-id'];
    if (status === 200 && typeof session === 'string') this.#host.onSession(session);
    if (status === 200 && String(headers['content-type']).startsWith('text/event-stream'))
      this.#sse = this.#openStream();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#sse !== undefined) {
      this.#sse.push(chunk.toString('latin1'));
      return;
    }
    this.#size += chunk.length;
    if (this.#size > this.#host.limits.maxMessageBytes) this.#tooLarge();
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#ended) return;
    const body = this.#sse === undefined ? this.#readBody() : '';
    const { id, hadSession } = this.sent;
    if (this.#answered || id === undefined) this.#end(undefined);
    else if (!this.#resume()) this.#fail(failureOfStatus(this.#host.peer, this.#head, { hadSession, body }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#answered) this.#end(undefined);
    else if (!this.#resume()) this.#fail(failureOfTransport(this.#server, error, this.#wasSent));
  }

  /** After a failed resume, the request itself had been accepted. */
  #fail(failure: HttpFailure): void {
    this.#end(this.#isResumed ? failureOfRest(this.#server, failure) : failure);
  }

  /** Returns true if the rest of the stream is requested. */
  #resume(): boolean {
    const lastEventId = this.#sse?.lastId ?? this.#lastEventId;
    if (this.#ended || !this.sent.canResume || lastEventId === undefined || lastEventId === '') return false;
    const { status } = this.#head;
    const isRefused = this.#isResumed && status !== 200 && status < 500 && waitOf(this.#head) === undefined;
    this.#fruitless = lastEventId === this.#lastEventId ? this.#fruitless + 1 : 0;
    if (isRefused || this.#fruitless > MAX_FRUITLESS_RESUMES) return false;
    this.#lastEventId = lastEventId;
    this.#isResumed = true;
    this.#sse = undefined;
    this.#host.onCut(this, lastEventId, this.#resumeDelayMs);
    return true;
  }

  #openStream(): SseReader {
    return new SseReader({
      maxBytes: this.#host.limits.maxMessageBytes,
      onEvent: ({ event, data }) => {
        if (event === 'message' && data !== '') this.#deliver(data);
      },
      onOverflow: () => this.#tooLarge(),
      onRetry: (milliseconds) => this.#resumeLater(milliseconds),
    });
  }

  #resumeLater(milliseconds: number): void {
    this.#resumeDelayMs = Math.max(MIN_RESUME_DELAY_MS, Math.min(milliseconds, MAX_RESUME_DELAY_MS));
  }

  #readBody(): ByteText {
    if (this.#size === 0) return '';
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#chunks = [];
    const body = bytes.toString('latin1');
    this.#deliver(body);
    return body;
  }

  #deliver(text: ByteText): void {
    const { id } = this.sent;
    const { log, onMessage } = this.#host;
    const server = this.#server;
    if (this.#ended) return;
    let message: Message;
    try {
      message = parseMessage(text);
    } catch (error) {
      if (error instanceof MalformedMessageError && id !== undefined && error.id === `"${id}"`) {
        this.#end({ wasSent: true, reason: malformedAnswer(server, error), sessionEnded: false });
        this.#controller?.abort(notAwaited());
        return;
      }
      if (this.#head.status === 200)
        log.warn(`server "${server}" sent something that is not a message`, {
          text: text.slice(0, 200),
          error: String(error),
        });
      return;
    }
    if (message.method === undefined) {
      // An answer belongs to its own POST; one with another id is ignored.
      if (id === undefined || message.id !== `"${id}"`) return;
      this.#answered = true;
      if (this.#sse !== undefined) this.#lingering = setTimeout(() => this.#letGo(), LINGER_MS).unref();
    }
    onMessage(message, id);
  }

  #tooLarge(): void {
    const { limits } = this.#host;
    const reason = new PincerError(
      'SERVER_PROTOCOL',
      `Server "${this.#server}" sent more than ${limits.maxMessageBytes} bytes in one message.`,
      { hint: 'Raise limits.maxMessageBytes, or ask the tool for less.' },
    );
    this.#end({ wasSent: true, reason, sessionEnded: false });
    this.#controller?.abort(reason);
  }

  /** The answer has arrived, but the stream is still open: close it. */
  #letGo(): void {
    this.#end(undefined);
    this.#controller?.abort(notAwaited());
  }

  #end(failure: HttpFailure | undefined): void {
    clearTimeout(this.#lingering);
    if (this.#ended) return;
    this.#ended = true;
    this.#host.onEnd(this, failure);
  }
}

const notAwaited = (): PincerError => new PincerError('CALL_CANCELLED', 'No longer awaited.');
