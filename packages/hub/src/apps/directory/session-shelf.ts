/** The sessions there are, found by id and by app, and those without a bridge in the order in which they expire. */
import type { AppTool, Bridge, Session } from './session-directory.ts';
import type { StoredAppSession } from '../../core/ports.ts';

export interface KeptSession extends StoredAppSession, Session {
  tools: readonly AppTool[];
  bridge: Bridge | undefined;
  credential: string | undefined;
  epoch: number;
  saysHello: boolean;
  attachedAs: number;
  /** The bridge that is there has said hello. */
  hasGreeted: boolean;
  lastUsed: number;
}

export interface SessionShelf {
  readonly size: number;
  countOf(app: string): number;
  /** Whether or not it has expired. */
  has(id: string): boolean;
  /** Undefined also when it has expired, even if nobody has removed it yet. */
  find(id: string): KeptSession | undefined;
  /** Of one app or of all, the oldest first. */
  list(app?: string): KeptSession[];
  add(session: KeptSession): void;
  remove(session: KeptSession): void;
  /** It has been used, or its bridge came or went. */
  touch(session: KeptSession): void;
  /** Those that have expired, and no other is looked at. Whoever asks may remove them meanwhile. */
  expired(): Iterable<KeptSession>;
}

/** `now` only grows: a clock that is put back must not change who expires first. */
export function createSessionShelf(now: () => number, ttlMs: number): SessionShelf {
  const byId = new Map<string, KeptSession>();
  const byApp = new Map<string, Set<KeptSession>>();
  /** Those without a bridge, the one that was used longest ago first. */
  const idle = new Set<KeptSession>();

  const hasExpired = (session: KeptSession, at: number): boolean =>
    session.bridge === undefined && at - session.lastUsed >= ttlMs;

  function touch(session: KeptSession): void {
    session.lastUsed = now();
    idle.delete(session);
    if (session.bridge === undefined) idle.add(session);
  }

  return {
    get size() {
      return byId.size;
    },
    countOf: (app) => byApp.get(app)?.size ?? 0,
    has: (id) => byId.has(id),
    find(id) {
      const session = byId.get(id);
      return session === undefined || hasExpired(session, now()) ? undefined : session;
    },
    list(app) {
      const at = now();
      const sessions = app === undefined ? byId.values() : (byApp.get(app) ?? []);
      return [...sessions].filter((session) => !hasExpired(session, at));
    },
    add(session) {
      byId.set(session.id, session);
      const own = byApp.get(session.app);
      if (own === undefined) byApp.set(session.app, new Set([session]));
      else own.add(session);
      touch(session);
    },
    remove(session) {
      byId.delete(session.id);
      idle.delete(session);
      const own = byApp.get(session.app);
      if (own?.delete(session) && own.size === 0) byApp.delete(session.app);
    },
    touch,
    *expired() {
      const at = now();
      for (const session of idle) {
        if (!hasExpired(session, at)) return;
        yield session;
      }
    },
  };
}
