/** Between the lines of one client and the HTTP endpoint of the proxy: each message goes there by itself. */
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
  /** To the client: an answer, which is never lost, and what may be lost where it reads slowly. */
  readonly line: { write(text: ByteText): void; notify(text: ByteText): void };
  /** To the person who looks at stderr. */
  note(text: string): void;
  /** The client has nothing more to say, and nothing is under way. */
  onDone(): void;
}

export interface Forwarder {
  take(text: ByteText): void;
  /** The client has nothing more to say. */
  end(): void;
  /** The client has gone: nobody reads an answer. */
  stop(): void;
}

/** A message of the client's, without what was meant for us. */
interface Incoming {
  readonly message: Message;
  readonly text: ByteText;
  readonly era: Era;
  readonly reply: Reply;
}

/** A request of the client's that is not answered yet. */
interface Errand {
  readonly id: ByteText;
  readonly era: Era;
  /** It is open for as long as the client listens. */
  readonly lingers: boolean;
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
  const errands = new Set<Errand>();
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

  /** What awaits no answer is told to whoever looks. */
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
    if (method !== 'notifications/cancelled' || cancel(findMember(params, 'requestId'))) tell(incoming);
    if (method === 'notifications/initialized') notices ??= listen();
    incoming.reply.done();
  }

  function ask(id: ByteText, method: string, incoming: Incoming): void {
    const { era, reply } = incoming;
    const errand: Errand = {
      id,
      era,
      lingers: method === 'subscriptions/listen',
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
          onDone(errand.post);
        },
      }),
    };
    /** The stream of an answer may go on for a while after it. */
    const end = (): void => {
      if (errands.delete(errand)) reply.done();
    };
    errands.add(errand);
    send(errand.post, incoming);
  }

  /** Nobody waits for what becomes of it. */
  function tell(incoming: Incoming): void {
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
    else parts.note(`The proxy takes too long: ${incoming.message.method ?? 'an answer'} was left out.\n`);
  }

  function send(post: Post, { message, era, text }: Incoming): void {
    posts.add(post);
    const body = Buffer.from(asBytes(text), 'latin1');
    pool.dispatch({ path, method: 'POST', headers: routed(headers.of(message, era)), body }, post);
  }

  /** To close the request is to cancel it. True: the proxy is to be told, too, as the legacy era wants it. */
  function cancel(id: ByteText | undefined): boolean {
    let isTold = true;
    for (const { id: each, era, post } of errands) {
      if (each !== id) continue;
      if (era === 'modern') isTold = false;
      post.abort();
    }
    return isTold;
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
          `The proxy does not tell of changed tools (HTTP ${status}): list them again where it matters.\n`,
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
      for (const { lingers, post } of errands) if (lingers) post.abort();
      if (posts.size === 0) parts.onDone();
    },
    stop() {
      notices?.close();
      for (const post of posts) post.abort();
    },
  };
}

const notInBatch = ({ id }: Message): MalformedMessageError =>
  new MalformedMessageError(RPC.invalidRequest, 'This message comes alone, not in a batch.', id);

/** Where the answer to one message goes: a line of its own, or a place in the line that answers a batch. */
interface Reply {
  answer(text: ByteText): void;
  /** Once, answered or not. */
  done(): void;
}

interface BatchReply {
  /** For one message of the batch. */
  open(): Reply;
  /** All of its messages are on their way. */
  close(): void;
}

const lineReply = (write: (text: ByteText) => void): Reply => ({
  answer: write,
  done: () => undefined,
});

/** All answers in one line, when the last of them is there; none where nothing was asked. */
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
