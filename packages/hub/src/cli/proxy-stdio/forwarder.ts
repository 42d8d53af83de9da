/** Forwards each line of a client as one HTTP request to the app proxy, and writes the answers as lines. */
import type { Pool } from 'undici';
import { PincerError } from '../../core/errors.ts';
import { RPC, type Era } from '../../core/protocol.ts';
import { asBytes, toByteText, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember } from '../../core/wire/members.ts';
import { MalformedMessageError, parseMessage, type Message } from '../../core/wire/message.ts';
import { createUnanswered } from '../../servers/http/unanswered.ts';
import { isBatch, readBatch } from '../../mcp/batch.ts';
import { eraOf } from '../../mcp/modern-envelope.ts';
import { outcomeText, errorText, notificationText } from '../../mcp/reply.ts';
import { openNoticeStream, type NoticeStream } from './notice-stream.ts';
import { createPost, type Post, createRequestHeaders } from './post.ts';
import { noSession, type SessionBinding } from './session-binding.ts';
import type { ProxyTarget } from './settings.ts';

interface ForwarderParts {
  readonly target: ProxyTarget;
  readonly pool: Pick<Pool, 'dispatch'>;
  readonly session: SessionBinding;
  readonly maxBytes: number;
  /** Writes to the client. `notify` may drop its text if the client reads slowly; `write` never does. */
  readonly line: { write(text: ByteText): void; notify(text: ByteText): void };
  /** Writes to stderr. */
  note(text: string): void;
  /** Called when the input has ended and no request is open. */
  onDone(): void;
}

export interface Forwarder {
  take(text: ByteText): void;
  /** The input has ended; open requests are still answered. */
  end(): void;
  /** The client has ended, so all requests are aborted. */
  stop(): void;
}

/** A message of the client, without the session id that was meant for this process. */
interface Incoming {
  readonly message: Message;
  readonly text: ByteText;
  readonly era: Era;
  readonly reply: Reply;
}

/** A request of the client that is not answered yet. */
interface OpenRequest {
  readonly id: ByteText;
  readonly era: Era;
  /** A subscription stays open until the client ends. */
  readonly isSubscription: boolean;
  readonly post: Post;
}

export function createForwarder(parts: ForwarderParts): Forwarder {
  const { target, pool, session, maxBytes, line } = parts;
  const path = target.url.pathname;
  const { token } = target;
  const headers = createRequestHeaders({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token !== undefined && { authorization: toByteText(`Bearer ${token}`) }),
  });
  const toLine = lineReply((text) => line.write(text));
  const openRequests = new Set<OpenRequest>();
  const posts = new Set<Post>();
  const unanswered = createUnanswered();
  let notices: NoticeStream | undefined;
  let hasEnded = false;

  const routed = (own: Readonly<Record<string, string>>): Record<string, string> => ({
    ...own,
    'mcp-session-id': session.id!,
  });

  function onMessage(text: ByteText, message: Message): void {
    if (message.id === undefined) line.notify(text);
    else line.write(text);
  }

  /** Answers a request with an error; for other messages prints the error on stderr. */
  function refuse({ id, method }: Partial<Message>, error: unknown, reply: Reply): void {
    if (error instanceof MalformedMessageError)
      return reply.answer(errorText(error.id, { code: error.rpcCode, message: error.message, status: 400 }));
    const { code, message, hint } = PincerError.from(error);
    if (id === undefined || method === undefined) return parts.note(`${message} ${hint ?? ''}\n`);
    const rpcCode = code === 'ARGUMENT_INVALID' ? RPC.invalidParams : RPC.internalError;
    const data = { code, outcome: 'not_executed', hint };
    reply.answer(errorText(id, { code: rpcCode, message, data, status: 400 }));
  }

  function take(text: ByteText): void {
    if (!isBatch(text, headers)) return takeOne(text, toLine, false);
    const batch = batchReply((text) => line.write(text));
    try {
      for (const each of readBatch(text)) takeOne(each, batch.open(), true);
    } catch (error) {
      refuse({}, error, toLine);
    }
    batch.close();
  }

  function takeOne(text: ByteText, reply: Reply, isInBatch: boolean): void {
    let message: Message | undefined;
    try {
      message = parseMessage(text);
      const era = eraOf(message);
      if (isInBatch && (message.method === 'initialize' || era === 'modern')) throw notInBatch(message);
      const forwarded = session.take(message, text);
      if (session.id === undefined) throw noSession();
      forward({ message, text: forwarded, era, reply });
    } catch (error) {
      refuse(message ?? {}, error, reply);
      reply.done();
    }
  }

  function forward(incoming: Incoming): void {
    const { id, method, params } = incoming.message;
    if (id !== undefined && method !== undefined) return ask(id, method, incoming);
    if (method !== 'notifications/cancelled' || cancel(findMember(params, 'requestId'))) notify(incoming);
    if (method === 'notifications/initialized') notices ??= listen();
    incoming.reply.done();
  }

  function ask(id: ByteText, method: string, incoming: Incoming): void {
    const { era, reply } = incoming;
    const openRequest: OpenRequest = {
      id,
      era,
      isSubscription: method === 'subscriptions/listen',
      post: createPost({
        target,
        id,
        maxBytes,
        onMessage,
        onAnswer(answer, { result }) {
          if (result !== undefined) headers.learn(method, era, result);
          reply.answer(answer);
          end();
        },
        onFailure: (failure) => reply.answer(outcomeText(id, failure, era).text),
        onDone() {
          end();
          onDone(openRequest.post);
        },
      }),
    };
    /** Called at the answer, because its stream may stay open for a while after it. */
    const end = (): void => {
      if (openRequests.delete(openRequest)) reply.done();
    };
    openRequests.add(openRequest);
    send(openRequest.post, incoming);
  }

  /** Sends a message that has no answer, and ignores failures. */
  function notify(incoming: Incoming): void {
    const post: Post = createPost({
      target,
      id: undefined,
      maxBytes,
      onMessage,
      onAnswer: () => undefined,
      onFailure: () => undefined,
      onDone() {
        unanswered.delete(post);
        onDone(post);
      },
    });
    if (unanswered.add(post)) send(post, incoming);
    else parts.note(`The proxy is too slow, so ${incoming.message.method ?? 'an answer'} was not sent.\n`);
  }

  function send(post: Post, { message, era, text }: Incoming): void {
    posts.add(post);
    const body = Buffer.from(asBytes(text), 'latin1');
    pool.dispatch({ path, method: 'POST', headers: routed(headers.of(message, era)), body }, post);
  }

  /** Closing the request cancels it. Returns whether the notification is forwarded, too, as the legacy era requires. */
  function cancel(id: ByteText | undefined): boolean {
    let isForwarded = true;
    for (const { id: each, era, post } of openRequests) {
      if (each !== id) continue;
      if (era === 'modern') isForwarded = false;
      post.abort();
    }
    return isForwarded;
  }

  const listen = (): NoticeStream =>
    openNoticeStream({
      pool,
      path,
      maxBytes,
      headers: () => routed(headers.ofStream()),
      onMessage,
      onReopened: () => line.notify(notificationText('notifications/tools/list_changed', '{}')),
      onRefused: (status) =>
        parts.note(
          `The proxy does not report changed tools (HTTP ${status}). List the tools again when needed.\n`,
        ),
    });

  function onDone(post: Post): void {
    posts.delete(post);
    if (hasEnded && posts.size === 0) parts.onDone();
  }

  return {
    take,
    end() {
      hasEnded = true;
      notices?.close();
      for (const { isSubscription, post } of openRequests) if (isSubscription) post.abort();
      if (posts.size === 0) parts.onDone();
    },
    stop() {
      notices?.close();
      for (const post of posts) post.abort();
    },
  };
}

const notInBatch = ({ id }: Message): MalformedMessageError =>
  new MalformedMessageError(RPC.invalidRequest, 'This message must not be part of a batch.', id);

/** Receives the answer to one message: a line of its own, or an item of the line that answers a batch. */
interface Reply {
  answer(text: ByteText): void;
  /** Called once, with or without an answer. */
  done(): void;
}

interface BatchReply {
  /** Returns the reply for one message of the batch. */
  open(): Reply;
  /** Called after the last message was forwarded. */
  close(): void;
}

const lineReply = (write: (text: ByteText) => void): Reply => ({
  answer: write,
  done: () => undefined,
});

/** Writes all answers in one line after the last one; writes nothing if there is no answer. */
function batchReply(write: (text: ByteText) => void): BatchReply {
  const answers: ByteText[] = [];
  let awaited = 1;
  const done = (): void => {
    awaited -= 1;
    if (awaited === 0 && answers.length > 0) write(`[${answers.join(',')}]`);
  };
  return {
    open() {
      awaited += 1;
      return { answer: (text) => void answers.push(text), done };
    },
    close: done,
  };
}
