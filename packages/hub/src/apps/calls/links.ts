/** All bridges, and the calls that wait for one. */
import type { Limits } from '../../../core/limits.ts';
import { PincerError } from '../../../core/errors.ts';
import type { Exchange, Running, SourceRequest } from '../../../core/request.ts';
import type { ByteText } from '../../../core/wire/byte-text.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { Session } from '../sessions/session.ts';
import type { OnAppEvent } from '../app-event.ts';
import { createByteBudget } from '../frames/byte-budget.ts';
import { Invocation } from './invocation.ts';
import { Link, type LinkHost } from './link.ts';
import { notConnected, sessionUnknown, tooManyCalls } from './refusals.ts';
import { CLOSE, type BridgeRefusal, type BridgeSocket } from '../../../core/app-bridge.ts';

export interface LinksParts {
  readonly book: SessionBook;
  readonly limits: Limits;
  /** Milliseconds that only grow. */
  now(): number;
  /** The tools of a session have changed; throws what is wrong with them. */
  readTools(session: string, tools: ByteText): void;
  onEvent: OnAppEvent;
  /** What should not have happened: a disk that is full, say. */
  onFailed(error: unknown): void;
}

/** What is told of a bridge. */
export type LinkFacts = Pick<Link, 'openedAt' | 'heardAt' | 'unanswered' | 'isRich'>;

export interface Links {
  /** Bridges that are there. */
  readonly size: number;
  /** Calls that wait for a bridge, of one session or of all. */
  waiting(sessionId?: string): number;
  /** The bridge of a session that is there. */
  find(sessionId: string): LinkFacts | undefined;
  /** A bridge has come, and proved itself by what `credential` is a digest of. */
  open(session: Session, credential: string, socket: BridgeSocket): Link | BridgeRefusal;
  /** The socket of a bridge has closed. */
  closed(link: Link): void;
  /** Closes the bridges of sessions that this is true of. */
  closeWhere(matches: (session: Session) => boolean, code: number, reason: string): void;
  call(session: Session, request: SourceRequest, exchange: Exchange): Running;
  stop(): void;
}

/** Bridges that are pinged in one go: ten thousand at once would hold up everybody. */
const PING_SLICE = 250;

export function createLinks(parts: LinksParts): Links {
  const { book, limits, now } = parts;
  const links = new Map<string, Link>();
  const waiting = new Map<string, Set<Invocation>>();
  let hasStopped = false;
  const host: LinkHost = {
    limits,
    unfinished: createByteBudget(limits.maxJoinedBytesInAll),
    now,
    repeat,
    onFailed: (error) => parts.onFailed(error),
    onHello: ({ sessionId, epoch }) => book.greet(sessionId, epoch),
    onTools({ sessionId, epoch }, tools) {
      if (book.isCurrent(sessionId, epoch)) parts.readTools(sessionId, tools);
    },
  };

  function unfailing(work: () => void): void {
    try {
      work();
    } catch (error) {
      parts.onFailed(error);
    }
  }

  function stopWaiting(call: Invocation): void {
    const calls = waiting.get(call.sessionId);
    if (calls?.delete(call) && calls.size === 0) waiting.delete(call.sessionId);
  }

  /** Gives back those that waited, who do so no more. */
  function takeWaiting(sessionId: string): Iterable<Invocation> {
    const calls = waiting.get(sessionId) ?? [];
    waiting.delete(sessionId);
    return calls;
  }

  function drop(link: Link): void {
    if (link.hasGone) return;
    link.hasGone = true;
    if (links.get(link.sessionId) === link) links.delete(link.sessionId);
    link.lose();
    unfailing(() => book.detach(link.sessionId, link.epoch));
    const { sessionId, openedAt, app } = link;
    parts.onEvent({ method: 'bridge/disconnect', app, session: sessionId, durationMs: now() - openedAt });
  }

  /** For an app that comes back by itself. */
  function repeat(call: Invocation): boolean {
    const session = book.find(call.sessionId);
    if (hasStopped || session?.saysHello !== true || !call.takeBack()) return false;
    const link = openLinkOf(call.sessionId);
    if (link === undefined) waitFor(call);
    else sendLate(link, call);
    return true;
  }

  function waitFor(call: Invocation): void {
    waiting.set(call.sessionId, (waiting.get(call.sessionId) ?? new Set()).add(call));
    call.wait();
  }

  /** What was allowed when it came may no longer be. */
  function sendLate(link: Link, call: Invocation): void {
    const problem = call.recheck();
    if (problem === undefined) link.invoke(call);
    else call.refuse(problem);
  }

  /** What is sent over one that is closing would be lost, though nothing need be. */
  function openLinkOf(id: string): Link | undefined {
    const link = links.get(id);
    if (link?.isOpen !== false) return link;
    drop(link);
    return undefined;
  }

  function end({ id }: Session): void {
    const link = links.get(id);
    links.delete(id);
    link?.close(CLOSE.unknownSession, 'the session has ended');
    for (const call of takeWaiting(id)) call.refuse(sessionUnknown());
  }

  async function pingAll(): Promise<void> {
    let sent = 0;
    for (const link of links.values()) {
      if (links.get(link.sessionId) !== link) continue;
      if (now() - link.heardAt >= limits.bridgeSilenceMs) {
        link.close(CLOSE.silent, 'no answer to a ping');
        drop(link);
      } else link.ping();
      if (++sent % PING_SLICE === 0) await new Promise(setImmediate);
    }
  }

  const stopListening = book.onChange((change) => {
    if (change.kind === 'removed' || change.kind === 'expired') end(change.session);
  });
  const pings = setInterval(() => void pingAll().catch(parts.onFailed), limits.bridgePingMs).unref();

  return {
    get size() {
      return links.size;
    },
    waiting: (sessionId) =>
      sessionId === undefined
        ? [...waiting.values()].reduce((sum, calls) => sum + calls.size, 0)
        : (waiting.get(sessionId)?.size ?? 0),
    find: (sessionId) => links.get(sessionId),
    open(session, credential, socket) {
      const { id: sessionId } = session;
      let attached: ReturnType<SessionBook['attach']>;
      try {
        attached = book.attach(sessionId, credential);
      } catch (error) {
        const { code, message } = PincerError.from(error);
        if (code === 'TOKEN_INVALID') return { code: CLOSE.unauthorized, reason: message, why: code };
        parts.onFailed(error);
        return { code: CLOSE.failed, reason: 'the proxy failed', why: code };
      }
      if (attached === undefined) return UNKNOWN_SESSION;
      const link = new Link(host, { app: session.app, sessionId, epoch: attached.epoch, socket });
      const previous = links.get(sessionId);
      links.set(sessionId, link);
      previous?.replace();
      parts.onEvent({ method: 'bridge/connect', app: session.app, session: sessionId });
      for (const call of takeWaiting(sessionId)) sendLate(link, call);
      return link;
    },
    closed: drop,
    closeWhere(matches, code, reason) {
      for (const link of links.values()) {
        const session = book.find(link.sessionId);
        if (session === undefined || !matches(session)) continue;
        link.close(code, reason);
        drop(link);
      }
    },
    call(session, request, exchange) {
      const { id } = session;
      const link = openLinkOf(id);
      const call = new Invocation(id, request, exchange, limits, stopWaiting);
      const unanswered = (link?.unanswered ?? 0) + (waiting.get(id)?.size ?? 0);
      book.touch(id);
      if (unanswered >= limits.maxCallsPerAppSession) call.refuse(tooManyCalls(limits.maxCallsPerAppSession));
      else if (link !== undefined) link.invoke(call);
      else if (session.saysHello) waitFor(call);
      else call.refuse(notConnected());
      return call;
    },
    stop() {
      hasStopped = true;
      clearInterval(pings);
      stopListening();
      for (const link of links.values()) link.close(CLOSE.restart, 'the hub stops');
      links.clear();
      for (const id of waiting.keys()) for (const call of takeWaiting(id)) call.refuse(notConnected());
    },
  };
}

export const UNKNOWN_SESSION: BridgeRefusal = {
  code: CLOSE.unknownSession,
  reason: 'unknown session',
  why: 'SESSION_UNKNOWN',
};
