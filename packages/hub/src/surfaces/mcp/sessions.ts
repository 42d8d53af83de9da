/** Legacy protocol sessions. An id is a handle, never a proof of who is asking: that is the credential's job. */
import type { Running } from '../../core/request.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';

export interface Session {
  readonly id: string;
  readonly owner: string;
  /** Calls under way by the id that the client gave them, for `notifications/cancelled`. */
  readonly running: Map<ByteText, Running>;
  lastUsed: number;
}

export interface Sessions {
  readonly size: number;
  create(owner: string): Session;
  /** Undefined also when it belongs to somebody else: no oracle. */
  find(id: string, owner: string): Session | undefined;
  end(session: Session): void;
}

export interface SessionLimits {
  readonly maxSessionsPerCredential: number;
  readonly sessionTtlMs: number;
}

export function createSessions(limits: SessionLimits, elapsed: () => number): Sessions {
  const byOwner = new Map<string, Map<string, Session>>();

  function end(session: Session): void {
    const own = byOwner.get(session.owner);
    if (own?.delete(session.id) && own.size === 0) byOwner.delete(session.owner);
    for (const running of session.running.values()) running.cancel('the session ended');
  }

  /** Ends what has expired and, above the cap, what was idle longest. Sessions with calls under way stay. */
  function makeRoom(own: Map<string, Session>, now: number): void {
    const idle = [...own.values()]
      .filter(({ running }) => running.size === 0)
      .sort((a, b) => a.lastUsed - b.lastUsed);
    for (const session of idle) {
      if (now - session.lastUsed < limits.sessionTtlMs && own.size < limits.maxSessionsPerCredential) return;
      end(session);
    }
  }

  return {
    get size() {
      return [...byOwner.values()].reduce((sum, own) => sum + own.size, 0);
    },
    create(owner) {
      const session = { id: crypto.randomUUID(), owner, running: new Map(), lastUsed: elapsed() };
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
      if (now - session.lastUsed >= limits.sessionTtlMs && session.running.size === 0) {
        end(session);
        return undefined;
      }
      session.lastUsed = now;
      return session;
    },
    end,
  };
}
