/** JSON-RPC batches, which only protocol version 2025-03-26 has: messages run one after the other, all in one slot. */
import type { RunningCalls } from './dispatch.ts';
import type { Log } from '../core/ports.ts';
import { RPC } from '../core/protocol.ts';
import type { Running } from '../core/request.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { readElements, isModest } from '../core/wire/members.ts';
import { MalformedMessageError, parseMessage, type Message } from '../core/wire/message.ts';
import type { LegacyClient } from './legacy-client.ts';
import { failureOfError, errorText, type Reply } from './reply.ts';
import { eraOf } from './modern-envelope.ts';

export const BATCH_VERSION = '2025-03-26';
const MAX_MESSAGES = 100;
const BEGIN = /^\s*\[/;

/** Returns whether these bytes are a batch: for all other clients an array is not a message. */
export const isBatch = (text: ByteText, client: Pick<LegacyClient, 'version'>): boolean =>
  client.version === BATCH_VERSION && BEGIN.test(text);

export interface BatchParts {
  readonly reply: Reply;
  /** Registry of the calls under way. */
  readonly running: RunningCalls;
  readonly log: Log;
  perform(message: Message, reply: Reply): Running | undefined;
}

export class Batch implements Running {
  readonly #parts: BatchParts;
  readonly #left: ByteText[];
  readonly #answers: ByteText[] = [];
  /** Never collides with an id that a client sends. */
  readonly #key: ByteText = crypto.randomUUID();
  #current: Running | undefined;

  constructor(messages: readonly ByteText[], parts: BatchParts) {
    this.#parts = parts;
    this.#left = messages.toReversed();
  }

  start(): void {
    this.#parts.running.set(this.#key, this);
    this.#next();
  }

  /** Cancels the running message and drops the ones that have not begun. */
  cancel(reason: string): void {
    this.#left.length = 0;
    this.#current?.cancel(reason);
  }

  #next(): void {
    this.#current = undefined;
    const text = this.#left.pop();
    // After a message that waited for a person, the batch takes its slot again; a revoked credential runs nothing more.
    if (text === undefined || !this.#parts.reply.goOn()) return this.#end();
    let isDone = false;
    const done = (answer?: ByteText): void => {
      if (isDone) return;
      isDone = true;
      if (answer !== undefined) this.#answers.push(answer);
      this.#next();
    };
    const { reply, log, perform } = this.#parts;
    try {
      const running = perform(parseElement(text), {
        answer: done,
        accept: () => done(),
        notify: (message) => reply.notify(message),
        ask: (message) => reply.ask(message),
        linger: () => undefined,
        pause: () => reply.pause(),
        goOn: () => reply.goOn(),
      });
      // If it is already done, `#next` has set the current one.
      if (!isDone) this.#current = running;
    } catch (error) {
      const { failure, id } = failureOfError(error, log);
      done(errorText(id, failure));
    }
  }

  #end(): void {
    const { reply, running } = this.#parts;
    running.delete(this.#key);
    if (this.#answers.length === 0) reply.accept();
    else reply.answer(`[${this.#answers.join(',')}]`, 200);
  }
}

export function readBatch(text: ByteText): ByteText[] {
  if (!isModest(text)) throw invalid('The batch has too many or too deeply nested values.');
  try {
    JSON.parse(text);
  } catch {
    throw new MalformedMessageError(RPC.parseError, 'The body is not JSON.');
  }
  const elements = readElements(text);
  if (elements.length === 0 || elements.length > MAX_MESSAGES)
    throw invalid(`A batch has 1 to ${MAX_MESSAGES} messages.`);
  return elements;
}

function parseElement(text: ByteText): Message {
  const message = parseMessage(text);
  if (message.method === 'initialize' || eraOf(message) === 'modern')
    throw invalid('Send this message alone, not in a batch.', message.id);
  return message;
}

const invalid = (message: string, id?: ByteText): MalformedMessageError =>
  new MalformedMessageError(RPC.invalidRequest, message, id);
