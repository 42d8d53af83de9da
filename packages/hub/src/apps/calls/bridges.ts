/** The open bridges of all sessions, and the calls that wait for one. */
import type { Limits } from '../../core/limits.ts';
import { PincerError } from '../../core/errors.ts';
import type { Exchange, Running, SourceRequest } from '../../core/request.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import type { Lease, Session, SessionDirectory } from '../directory/session-directory.ts';
import { createByteBudget } from '../frames/chunks.ts';
import { Invocation } from './invocation.ts';
import { BridgeConnection, type BridgeHost } from './bridge-connection.ts';
import { notConnected, sessionUnknown, tooManyCalls } from '../refusals.ts';
import { CLOSE, type BridgeRefusal, type BridgeSocket } from '../../core/app-bridge.ts';
import type { AppEvent } from '../../core/call/record.ts';

interface BridgesParts {
  readonly directory: SessionDirectory;
  readonly limits: Limits;
  /** Monotonic milliseconds. */
  now(): number;
  /** Replaces the tools of a session. Throws or rejects if they are invalid. */
  changeTools(lease: Lease, tools: ByteText): Promise<unknown>;
  onEvent: OnAppEvent;
  /** Reports an internal failure, such as a full disk. */
  onFailed(error: unknown): void;
}

/** The state of a bridge for status reports. */
type BridgeFacts = Pick<BridgeConnection, 'openedAt' | 'heardAt' | 'unanswered' | 'isRich'>;

export interface Bridges {
  /** Open bridges. */
  readonly size: number;
  /** Calls that wait for a bridge, of one session or of all. */
  waiting(sessionId?: string): number;
  /** The open bridge of a session. */
  find(sessionId: string): BridgeFacts | undefined;
  /** Accepts a new bridge. `credential` is a digest of its token. */
  open(session: Session, credential: string, socket: BridgeSocket): Promise<BridgeConnection | BridgeRefusal>;
  /** The socket of a bridge has closed. */
  closed(connection: BridgeConnection): void;
  /** Closes the bridges of the matching sessions. */
  closeWhere(matches: (session: Session) => boolean, code: number, reason: string): void;
  call(session: Session, request: SourceRequest, exchange: Exchange): Running;
  stop(): void;
}

/** Bridges that are pinged in one turn of the event loop. */
const PING_SLICE = 250;

export function createBridges(parts: BridgesParts): Bridges {
  const { directory, limits, now } = parts;
  const connections = new Map<string, BridgeConnection>();
  const waiting = new Map<string, Set<Invocation>>();
  let hasStopped = false;
  const host: BridgeHost = {
    limits,
    unfinished: createByteBudget(limits.maxJoinedBytesInAll),
    now,
    repeat,
    onFailed: (error) => parts.onFailed(error),
    onHello: ({ lease }) => directory.greet(lease),
    onTools: ({ lease }, tools) => parts.changeTools(lease, tools),
  };

  function stopWaiting(call: Invocation): void {
    const calls = waiting.get(call.session.id);
    if (calls?.delete(call) && calls.size === 0) waiting.delete(call.session.id);
  }

  /** Removes and returns the calls that wait for a session's bridge. */
  function takeWaiting(sessionId: string): Iterable<Invocation> {
    const calls = waiting.get(sessionId) ?? [];
    waiting.delete(sessionId);
    return calls;
  }

  function drop(connection: BridgeConnection): void {
    if (connection.hasGone) return;
    connection.hasGone = true;
    const { lease, session, openedAt } = connection;
    if (connections.get(session.id) === connection) connections.delete(session.id);
    connection.lose();
    directory.release(lease).catch(parts.onFailed);
    const durationMs = now() - openedAt;
    parts.onEvent({ method: 'bridge/disconnect', app: session.app, session: session.id, durationMs });
  }

  /** Sends or queues the call again, and returns true, if its app reconnects and the call is safe to retry. */
  function repeat(call: Invocation): boolean {
    const { session } = call;
    // Checked again, because the session may have ended since the call came in.
    if (hasStopped || !directory.isLive(session) || !session.saysHello || !call.prepareRetry()) return false;
    const connection = openConnectionOf(session.id);
    if (connection === undefined) waitFor(call);
    else sendLate(connection, call);
    return true;
  }

  function waitFor(call: Invocation): void {
    const { id } = call.session;
    waiting.set(id, (waiting.get(id) ?? new Set()).add(call));
    call.wait();
  }

  /** Sends a call that has waited, if it is still allowed. */
  function sendLate(connection: BridgeConnection, call: Invocation): void {
    const problem = call.recheck();
    if (problem === undefined) connection.invoke(call);
    else call.refuse(problem);
  }

  /** Drops a bridge that is closing: a call sent over it would be lost. */
  function openConnectionOf(id: string): BridgeConnection | undefined {
    const connection = connections.get(id);
    if (connection?.isOpen !== false) return connection;
    drop(connection);
    return undefined;
  }

  function end({ id }: Session): void {
    const connection = connections.get(id);
    connections.delete(id);
    connection?.close(CLOSE.unknownSession, 'the session has ended');
    for (const call of takeWaiting(id)) call.refuse(sessionUnknown());
  }

  async function pingAll(): Promise<void> {
    let sent = 0;
    for (const connection of connections.values()) {
      if (connections.get(connection.session.id) !== connection) continue;
      if (now() - connection.heardAt >= limits.bridgeSilenceMs) {
        connection.close(CLOSE.silent, 'no answer to a ping');
        drop(connection);
      } else connection.ping();
      if (++sent % PING_SLICE === 0) await new Promise(setImmediate);
    }
  }

  const stopListening = directory.onChange((change) => {
    if (change.kind === 'removed' || change.kind === 'expired') end(change.session);
  });
  const pings = setInterval(() => void pingAll().catch(parts.onFailed), limits.bridgePingMs).unref();

  return {
    get size() {
      return connections.size;
    },
    waiting: (sessionId) =>
      sessionId === undefined
        ? [...waiting.values()].reduce((sum, calls) => sum + calls.size, 0)
        : (waiting.get(sessionId)?.size ?? 0),
    find: (sessionId) => connections.get(sessionId),
    async open(session, credential, socket) {
      const { id, app } = session;
      let lease: Lease | undefined;
      try {
        lease = await directory.lease(session, credential);
      } catch (error) {
        const { code, message } = PincerError.from(error);
        if (code === 'TOKEN_INVALID') return { code: CLOSE.unauthorized, reason: message, why: code };
        parts.onFailed(error);
        return { code: CLOSE.failed, reason: 'the proxy failed', why: code };
      }
      // Checked again, because the session may have ended, and the hub stopped, while the lease was granted.
      if (lease === undefined || !directory.isLive(session)) return UNKNOWN_SESSION;
      if (hasStopped) {
        directory.release(lease).catch(parts.onFailed);
        return STOPPED;
      }
      const previous = connections.get(id);
      if (previous !== undefined && previous.lease.epoch > lease.epoch) return OVERTAKEN;
      const connection = new BridgeConnection(host, { lease, socket });
      connections.set(id, connection);
      previous?.replace();
      parts.onEvent({ method: 'bridge/connect', app, session: id });
      for (const call of takeWaiting(id)) sendLate(connection, call);
      return connection;
    },
    closed: drop,
    closeWhere(matches, code, reason) {
      for (const connection of connections.values()) {
        if (!matches(connection.session)) continue;
        connection.close(code, reason);
        drop(connection);
      }
    },
    call(session, request, exchange) {
      const { id } = session;
      const connection = openConnectionOf(id);
      const call = new Invocation(session, request, exchange, limits, stopWaiting);
      const unanswered = (connection?.unanswered ?? 0) + (waiting.get(id)?.size ?? 0);
      // Not awaited: a call does not depend on it.
      directory.renew(session).catch(parts.onFailed);
      if (unanswered >= limits.maxCallsPerAppSession) call.refuse(tooManyCalls(limits.maxCallsPerAppSession));
      else if (connection !== undefined) connection.invoke(call);
      else if (session.saysHello) waitFor(call);
      else call.refuse(notConnected());
      return call;
    },
    stop() {
      hasStopped = true;
      clearInterval(pings);
      stopListening();
      for (const connection of connections.values()) connection.close(CLOSE.restart, 'the hub is stopping');
      connections.clear();
      for (const id of waiting.keys()) for (const call of takeWaiting(id)) call.refuse(notConnected());
    },
  };
}

export const UNKNOWN_SESSION: BridgeRefusal = {
  code: CLOSE.unknownSession,
  reason: 'unknown session',
  why: 'SESSION_UNKNOWN',
};

const STOPPED: BridgeRefusal = {
  code: CLOSE.restart,
  reason: 'the hub is stopping',
  why: 'BRIDGE_NOT_CONNECTED',
};

/** The session already has a later bridge. */
const OVERTAKEN: BridgeRefusal = {
  code: CLOSE.replaced,
  reason: 'replaced by another connection',
  why: 'BRIDGE_NOT_CONNECTED',
};

/** An event of an app for the audit record, which adds the time. The outcome is `ok` by default. */
export type NewAppEvent = Omit<AppEvent, 'at' | 'caller' | 'outcome'> & Partial<Pick<AppEvent, 'outcome'>>;

export type OnAppEvent = (event: NewAppEvent) => void;
