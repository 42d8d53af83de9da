/** MCP over a pair of byte streams, one message per line: what `pincer stdio` connects its client to. */
import type { Duplex } from 'node:stream';
import type { Caller } from '../../core/caller.ts';
import type { Catalog, View } from '../../core/catalog.ts';
import type { Limits } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import { RPC } from '../../core/protocol.ts';
import type { Running } from '../../core/request.ts';
import { asBytes, oneLine, type ByteText } from '../../core/wire/byte-text.ts';
import { LineReader } from '../../core/wire/line-reader.ts';
import { parseMessage, type Message } from '../../core/wire/message.ts';
import type { Dispatch } from './dispatch.ts';
import { NO_SLOT } from './http-refusals.ts';
import { failureOfError } from './message-failure.ts';
import { checkEnvelope, eraOf } from './modern-envelope.ts';
import { errorText, type Reply } from './reply.ts';
import type { Slots } from './slots.ts';

export interface McpStdioParts {
  readonly dispatch: Dispatch;
  readonly catalog: Catalog;
  readonly slots: Slots;
  readonly limits: Limits;
  readonly log: Log;
}

const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
/** Changes of this long are told at once. */
const CHANGE_WAIT_MS = 20;

export interface StdioClient {
  readonly caller: Caller;
  readonly view: View;
  /** The line by which it says that it has nothing more to ask. */
  readonly endMark: string | undefined;
  /** Its credential has not been revoked. */
  isValid(): boolean;
}

export function serveStdio(parts: McpStdioParts, stream: Duplex, client: StdioClient): void {
  const { caller, view } = client;
  const { dispatch, catalog, slots, limits, log } = parts;
  const running = new Map<ByteText, Running>();
  const session = crypto.randomUUID();
  let hasInitialized = false;
  let changeTimer: NodeJS.Timeout | undefined;
  /** Answers that the client still waits for. */
  let owed = 0;
  let hasEnded = false;
  const unread: ByteText[] = [];

  const isSlow = (): boolean => stream.writableLength > limits.maxUnsentToClientBytes;

  function write(text: ByteText): void {
    if (!stream.writable) return;
    stream.write(`${asBytes(oneLine(text))}\n`, 'latin1');
    // A client that does not read its answers gets to ask nothing more until it does.
    if (isSlow()) stream.pause();
  }

  function answer(text: ByteText): void {
    write(text);
    owed--;
    endWhenDone();
  }

  /** A client that has said all it has to say may still wait for answers. */
  function endWhenDone(): void {
    if (hasEnded && owed === 0) stream.end();
  }

  function onMessage(message: Message): void {
    if (!client.isValid()) return void stream.destroy();
    const era = eraOf(message);
    const failure = era === 'modern' && message.id !== undefined ? checkEnvelope(message) : undefined;
    if (failure !== undefined) return write(errorText(message.id, failure));
    hasInitialized ||= message.method === 'notifications/initialized';
    const sender = { caller, surface: 'stdio', view, era, session, canNotify: true, running } as const;
    if (message.id === undefined || message.method === undefined) {
      dispatch(message, sender, NO_REPLY);
      return;
    }
    owed++;
    if (message.method !== 'tools/call') {
      dispatch(message, sender, { ...NO_REPLY, answer });
      return;
    }
    const { id } = message;
    let isCancelled = false;
    const waiting: Running = { cancel: () => (isCancelled = true) };
    if (!running.has(id)) running.set(id, waiting);
    slots.take(
      caller.id,
      () => {
        if (running.get(id) === waiting) running.delete(id);
        if (stream.destroyed || isCancelled) {
          slots.release(caller.id);
          return answer(errorText(id, CANCELLED));
        }
        const reply: Reply = {
          answer(text) {
            slots.release(caller.id);
            answer(text);
          },
          notify: (text) => {
            if (!isSlow()) write(text);
          },
          accept: () => undefined,
        };
        guarded(
          () => dispatch(message, sender, reply),
          () => {
            slots.release(caller.id);
            owed--;
          },
        );
      },
      () => {
        if (running.get(id) === waiting) running.delete(id);
        answer(errorText(id, NO_SLOT));
      },
    );
  }

  function guarded(action: () => void, onFailure: () => void = () => undefined): void {
    try {
      action();
    } catch (error) {
      onFailure();
      const { failure, id } = failureOfError(error, log);
      write(errorText(id, failure));
    }
  }

  function onLine(line: ByteText): void {
    if (line === client.endMark) {
      hasEnded = true;
      endWhenDone();
    } else if (line.trim() !== '') guarded(() => onMessage(parseMessage(line)));
  }

  /** The client reads again: first the lines that had come in the same piece as the one that made it slow. */
  function goOn(): void {
    while (unread.length > 0 && !isSlow()) onLine(unread.shift()!);
    if (unread.length === 0) stream.resume();
  }

  const lines = new LineReader({
    maxBytes: limits.maxMessageBytes,
    onLine(line) {
      if (isSlow() || unread.length > 0) unread.push(line);
      else onLine(line);
    },
    onOverflow() {
      const message = `The line is longer than ${limits.maxMessageBytes} bytes.`;
      write(errorText(undefined, { code: RPC.invalidRequest, message, status: 413 }));
    },
  });

  const stopListening = catalog.onChange(() => {
    changeTimer ??= setTimeout(() => {
      changeTimer = undefined;
      if (hasInitialized) write(LIST_CHANGED);
    }, CHANGE_WAIT_MS);
  });

  function close(): void {
    stopListening();
    clearTimeout(changeTimer);
    for (const call of running.values()) call.cancel('the client went away');
  }

  stream.on('data', (chunk: Buffer) => lines.push(chunk.toString('latin1')));
  stream.on('drain', goOn);
  stream.on('error', () => stream.destroy());
  // Without having said goodbye: nobody is left to read an answer.
  stream.once('end', () => stream.destroy());
  stream.once('close', close);
}

const CANCELLED = { code: RPC.notExecuted, message: 'Cancelled before it was sent.', status: 200 };
const NO_REPLY: Reply = { answer: () => undefined, notify: () => undefined, accept: () => undefined };
