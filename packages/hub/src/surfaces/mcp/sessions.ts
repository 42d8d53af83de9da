/** Legacy protocol sessions. An id is a handle, never a proof of who is asking: that is the credential's job. */
import type { Running } from '../../core/request.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { LegacyClient } from './legacy-client.ts';
import { ReplayBudget } from './event-store.ts';
import type { Outlet } from './reply.ts';
import { SessionStreams, type StreamLimits } from './session-streams.ts';

export interface Session {
  readonly id: string;
  readonly owner: string;
  readonly client: LegacyClient;
  readonly streams: SessionStreams;
  /** Calls under way by the id that the client gave them, for `notifications/cancelled`. */
  readonly running: Map<ByteText, Running>;
  lastUsed: number;
}

export interface Sessions {
  readonly size: number;
  /** `borrow` finds an answer of the session that is under way and takes messages which belong to no call. */
  create(owner: string, borrow: (session: Session) => Outlet | undefined, id?: string): Session;
  /** Undefined also when it belongs to somebody else: no oracle. */
  find(id: string, owner: string): Session | undefined;
  end(session: Session): void;
  /** The owner comes no more. */
  endOf(owner: string): void;
  /** Ends what has expired. */
  sweep(): void;
}

export interface SessionLimits extends StreamLimits {
  readonly maxSessionsPerCredential: number;
  readonly sessionTtlMs: number;
  readonly maxReplayBytesInAll: number;
  readonly maxQuestions: number;
}

const ENDED = 'the session ended';

export function createSessions(limits: SessionLimits, elapsed: () => number): Sessions {
  const byOwner = new Map<string, Map<string, Session>>();
  const budget = new ReplayBudget(limits.maxReplayBytesInAll);

  function end(session: Session): void {
    const own = byOwner.get(session.owner);
    if (own?.delete(session.id) && own.size === 0) byOwner.delete(session.owner);
    for (const running of session.running.values()) running.cancel(ENDED);
    session.client.end(ENDED);
    session.streams.own.end();
    session.streams.clear();
  }

  const hasExpired = (session: Session, now: number): boolean =>
    now - session.lastUsed >= limits.sessionTtlMs && !isInUse(session);

  /** Ends what has expired and, above the cap, what was idle longest. Sessions in use stay. */
  function makeRoom(own: Map<string, Session>, now: number): void {
    const idle = [...own.values()]
      .filter((session) => !isInUse(session))
      .sort((a, b) => a.lastUsed - b.lastUsed);
    for (const session of idle) {
      if (!hasExpired(session, now) && own.size < limits.maxSessionsPerCredential) return;
      end(session);
    }
  }

  function make(owner: string, borrow: (session: Session) => Outlet | undefined, id: string): Session {
    const streams = new SessionStreams(limits, () => borrow(session), budget);
    const client = new LegacyClient(id, streams, limits.maxQuestions);
    const session: Session = { id, owner, client, streams, running: new Map(), lastUsed: elapsed() };
    return session;
  }

  return {
    get size() {
      return [...byOwner.values()].reduce((sum, own) => sum + own.size, 0);
    },
    create(owner, borrow, id = crypto.randomUUID()) {
      const session = make(owner, borrow, id);
      const known = byOwner.get(owner);
      if (known !== undefined) makeRoom(known, session.lastUsed);
      const own = byOwner.get(owner) ?? new Map<string, Session>();
      byOwner.set(owner, own.set(session.id, session));
      return session;
    },
    find(id, owner) {
      const session = byOwner.get(owner)?.get(id);
      if (session === undefined) return undefined;
      const now = elapsed();
      if (hasExpired(session, now)) {
        end(session);
        return undefined;
      }
      session.lastUsed = now;
      return session;
    },
    end,
    endOf(owner) {
      for (const session of byOwner.get(owner)?.values() ?? []) end(session);
    },
    sweep() {
      const now = elapsed();
      for (const own of byOwner.values())
        for (const session of own.values()) if (hasExpired(session, now)) end(session);
    },
  };
}

/** Calls are under way, or the client listens. */
const isInUse = ({ running, streams }: Session): boolean => running.size > 0 || streams.own.isCarried;
