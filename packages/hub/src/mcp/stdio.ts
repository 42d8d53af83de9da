/** MCP over a pair of byte streams, one message per line; `pincer stdio` connects its client here. */
import { ShortLivedMap } from '../lib/short-lived-map.ts';
import type { Duplex } from 'node:stream';
import type { Caller } from '../core/caller.ts';
import type { View } from '../core/catalog/catalog.ts';
import type { Limits } from '../core/limits.ts';
import type { Log } from '../core/ports.ts';
import { RPC, type Era } from '../core/protocol.ts';
import type { Running } from '../core/request.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { parseMessage, type Message } from '../core/wire/message.ts';
import { Batch, isBatch, readBatch } from './batch.ts';
import type { Dispatch, Sender } from './dispatch.ts';
import {
  NO_SLOT,
  failureOfError,
  errorText,
  type Outlet,
  type Reply,
  TOO_MANY_STREAMS,
  type RpcFailure,
} from './reply.ts';
import { LegacyClient, type OnClient } from './legacy-client.ts';
import { ModernClient } from './modern-client.ts';
import { checkEnvelope, eraOf } from './modern-envelope.ts';
import type { Slots } from './slots.ts';
import { StdioLine } from './stdio-line.ts';

export interface McpStdioParts {
  readonly dispatch: Dispatch;
  readonly slots: Slots;
  readonly limits: Limits;
  readonly log: Log;
  readonly onClient: OnClient;
}

interface StdioClient {
  readonly caller: Caller;
  readonly view: View;
  /** The line that marks the end of the client's requests. */
  readonly endMark: string | undefined;
  /** Whether its credential is still valid. */
  isValid(): boolean;
}

export function serveStdio(parts: McpStdioParts, stream: Duplex, peer: StdioClient): void {
  const { caller, view } = peer;
  const { dispatch, slots, limits, log } = parts;
  const running = new ShortLivedMap<ByteText, Running>();
  /** Answers that are still due, with the client's request id. */
  const owed = new ShortLivedMap<StdioReply, ByteText | undefined>();
  let hasEnded = false;
  const line = new StdioLine(stream, limits, onLine);
  /** Sends nothing to a revoked credential, and closes its stream. */
  const whileValid = (send: () => boolean): boolean => {
    if (peer.isValid()) return send();
    stream.destroy();
    return false;
  };
  const outlet: Outlet = {
    isLine: true,
    notify: (text) => void whileValid(() => (line.notify(text), true)),
    ask: (text) => whileValid(() => line.ask(text)),
  };
  const client = new LegacyClient(crypto.randomUUID(), outlet, limits.maxQuestions);

  function onLine(text: ByteText): void {
    if (text === peer.endMark) return onEnd();
    if (text.trim() === '') return;
    if (!peer.isValid()) return void stream.destroy();
    try {
      if (isBatch(text, client)) onBatch(text);
      else onMessage(parseMessage(text));
    } catch (error) {
      const { failure, id } = failureOfError(error, log);
      line.write(errorText(id, failure));
    }
  }

  function onMessage(message: Message): void {
    const { id, method } = message;
    const era = eraOf(message);
    const failure = era === 'modern' && id !== undefined ? checkEnvelope(message) : undefined;
    if (failure !== undefined) return line.write(errorText(id, failure));
    if (id === undefined || method === undefined) return void perform(message, era, NO_REPLY);
    const reply = owe(id);
    const start = (): void => {
      try {
        perform(message, era, reply);
      } catch (error) {
        reply.answer(errorText(id, failureOfError(error, log).failure));
      }
    };
    if (isAnsweredHere(method)) start();
    else startWithSlot(id, reply, start);
  }

  function onBatch(text: ByteText): void {
    const messages = readBatch(text);
    const reply = owe(undefined);
    const batch = new Batch(messages, {
      reply,
      running,
      log,
      perform: (message, each) => perform(message, 'legacy', each),
    });
    startWithSlot(undefined, reply, () => batch.start());
  }

  function perform(message: Message, era: Era, reply: Reply): Running | undefined {
    if (message.method === 'notifications/initialized')
      client.begin(() => parts.onClient(client, caller, view));
    return dispatch(message, senderOf(message, era), reply);
  }

  const senderOf = (message: Message, era: Era): Sender => ({
    caller,
    surface: 'stdio',
    view,
    era,
    client: era === 'modern' ? new ModernClient(message, client.session) : client,
    legacy: era === 'modern' ? undefined : client,
    running,
  });

  function owe(id: ByteText | undefined): StdioReply {
    const reply = new StdioReply({
      line,
      slots,
      holder: caller.id,
      isValid: () => peer.isValid(),
      onDone: () => onDone(reply),
    });
    owed.set(reply, id);
    return reply;
  }

  /** Cancelling a call that still waits for its slot is free. */
  function startWithSlot(id: ByteText | undefined, reply: StdioReply, start: () => void): void {
    let isCancelled = false;
    const waiting: Running = { cancel: () => (isCancelled = true) };
    if (id !== undefined && !running.has(id)) running.set(id, waiting);
    const stopWaiting = (): void => {
      if (id !== undefined && running.get(id) === waiting) running.delete(id);
    };
    slots.take(
      caller.id,
      () => {
        stopWaiting();
        reply.holdSlot();
        if (stream.destroyed || isCancelled) reply.answer(errorText(id, CANCELLED));
        else start();
      },
      () => {
        stopWaiting();
        reply.answer(errorText(id, NO_SLOT));
      },
    );
  }

  function onDone(reply: StdioReply): void {
    owed.delete(reply);
    if (hasEnded && owed.size === 0) stream.end();
  }

  /** After the end mark a client may still wait for answers, but no longer answers questions. */
  function onEnd(): void {
    hasEnded = true;
    client.end('it closed its input');
    for (const [reply, id] of owed.entries())
      if (reply.lingers) running.get(id!)?.cancel('the client stopped listening');
    if (owed.size === 0) stream.end();
  }

  function onClose(): void {
    // Calls first: a question that fails would otherwise let its call go on.
    for (const call of running.values()) call.cancel('the client went away');
    client.end('it went away');
  }

  stream.on('error', () => stream.destroy());
  // Closed without an end mark: the client reads no more answers.
  stream.once('end', () => stream.destroy());
  stream.once('close', onClose);
}

const ANSWERED_HERE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'logging/setLevel',
  'subscriptions/listen',
]);
/** These requests never reach a server and need no slot. */
const isAnsweredHere = (method: string): boolean => ANSWERED_HERE.has(method) || method.endsWith('/list');

const CANCELLED = { code: RPC.notExecuted, message: 'Cancelled before it was sent.', status: 200 };
const NO_REPLY: Reply = {
  answer: () => undefined,
  notify: () => undefined,
  ask: () => false,
  accept: () => undefined,
  linger: () => undefined,
  pause: () => undefined,
  goOn: () => false,
};

interface StdioReplyParts {
  readonly line: StdioLine;
  readonly slots: Slots;
  /** The owner of its slot or stream. */
  readonly holder: string;
  /** Whether its credential is still valid. */
  isValid(): boolean;
  /** Called when the answer was given. */
  onDone(): void;
}

/** The answer to one request on a line. Until then it may hold a slot or a stream. */
class StdioReply implements Reply {
  readonly #parts: StdioReplyParts;
  #holding: 'slot' | 'stream' | 'pause' | 'nothing' = 'nothing';
  #isDone = false;

  constructor(parts: StdioReplyParts) {
    this.#parts = parts;
  }

  /** Whether it stays open as long as the client. */
  get lingers(): boolean {
    return this.#holding === 'stream';
  }

  holdSlot(): void {
    this.#holding = 'slot';
  }

  answer(text: ByteText): void {
    if (!this.#isDone) this.#parts.line.write(text);
    this.accept();
  }

  notify(text: ByteText): void {
    if (!this.#isDone) this.#parts.line.notify(text);
  }

  ask(text: ByteText): boolean {
    return !this.#isDone && this.#parts.line.ask(text);
  }

  accept(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#release();
    this.#parts.onDone();
  }

  linger(): RpcFailure | undefined {
    const { slots, holder } = this.#parts;
    if (!slots.streams.take(holder)) return TOO_MANY_STREAMS;
    this.#release();
    this.#holding = 'stream';
    return undefined;
  }

  pause(): void {
    const { slots, holder } = this.#parts;
    if (this.#holding === 'slot' && slots.pause(holder)) this.#holding = 'pause';
  }

  goOn(): boolean {
    const { slots, holder, isValid } = this.#parts;
    if (!isValid()) return false;
    if (this.#holding === 'pause') {
      this.#holding = 'slot';
      slots.goOn(holder);
    }
    return true;
  }

  #release(): void {
    const { slots, holder } = this.#parts;
    const held = this.#holding;
    this.#holding = 'nothing';
    if (held === 'slot') slots.release(holder);
    else if (held === 'stream') slots.streams.release(holder);
    else if (held === 'pause') slots.paused.release(holder);
  }
}
