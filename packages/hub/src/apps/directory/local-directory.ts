/**
 * The session directory of a hub with one process. Sessions are in memory, and each change is written to the store first.
 * Each operation takes effect before its promise is returned, so operations cannot interleave.
 */
import type { Limits } from '../../core/limits.ts';
import type { AppSessionStore, StoredAppSession } from '../../core/ports.ts';
import {
  appIsFull,
  directoryIsFull,
  idTaken,
  toolsAreTooLarge,
  wrongCredential,
  type AppTool,
  type Bridge,
  type Lease,
  type Session,
  type SessionChange,
  type SessionDirectory,
} from './session-directory.ts';
import { areSameTools, createOwnLists, createToolLists } from './tool-lists.ts';

interface LocalDirectoryParts {
  /** Monotonic milliseconds. */
  now(): number;
  /** 128 random bits, as text. */
  newId(): string;
  readonly limits: Pick<
    Limits,
    'appSessionTtlMs' | 'maxSessionsPerApp' | 'maxAppSessions' | 'maxToolBytesPerApp'
  >;
  readonly store: AppSessionStore;
}

export function createLocalDirectory(parts: LocalDirectoryParts): SessionDirectory {
  const { now, newId, limits, store } = parts;
  const index = createSessionIndex(now, limits.appSessionTtlMs);
  const toolLists = createToolLists();
  const listeners = new Set<(change: SessionChange) => void>();
  let attachments = 0;

  const publish = (change: SessionChange): void => {
    for (const listener of listeners) listener(change);
  };

  function keep(stored: StoredAppSession): KeptSession {
    const tools = toolLists.share(stored.app, stored.tools);
    const session: KeptSession = {
      ...storedOf(stored),
      tools,
      bridge: undefined,
      attachedAs: 0,
      hasGreeted: false,
      lastUsed: now(),
    };
    index.add(session);
    return session;
  }

  function end(session: KeptSession, kind: 'removed' | 'expired'): void {
    store.remove(session.id);
    index.remove(session);
    toolLists.release(session.app, session.tools);
    publish({ kind, session });
  }

  function sweep(): Session[] {
    const gone: Session[] = [];
    for (const session of index.expired()) {
      end(session, 'expired');
      gone.push(session);
    }
    return gone;
  }

  /** Expired sessions do not count, even before they are removed. */
  function assertRoom(app: string): void {
    const isFull = (): boolean => index.size >= limits.maxAppSessions;
    const isAppFull = (): boolean => index.countOf(app) >= limits.maxSessionsPerApp;
    if (isFull() || isAppFull()) sweep();
    if (isAppFull()) throw appIsFull(app, limits.maxSessionsPerApp);
    if (isFull()) throw directoryIsFull(limits.maxAppSessions);
  }

  function assertToolsFit(app: string, tools: readonly AppTool[]): void {
    const isTooLarge = (): boolean => toolLists.bytesWith(app, tools) > limits.maxToolBytesPerApp;
    if (isTooLarge()) sweep();
    if (isTooLarge()) throw toolsAreTooLarge(app, limits.maxToolBytesPerApp);
  }

  /** Durable, because a call after a restart must know whether the app reconnects by itself. */
  function setSaysHello(session: KeptSession, saysHello: boolean): void {
    if (session.saysHello === saysHello) return;
    store.save({ ...storedOf(session), saysHello });
    session.saysHello = saysHello;
  }

  const findFor = (id: string, app: string | undefined): KeptSession | undefined => {
    const session = index.find(id);
    return session === undefined || (app ?? session.app) === session.app ? session : undefined;
  };

  /** Returns the session of a lease. Undefined if the lease is stale or released: the epoch fences off a stale owner. */
  function leased({ session, epoch }: Lease): KeptSession | undefined {
    const kept = index.find(session.id);
    return kept?.bridge?.epoch === epoch ? kept : undefined;
  }

  const own = createOwnLists();
  for (const stored of store.load()) keep({ ...stored, tools: own(stored.app, stored.tools) });

  return {
    get size() {
      return index.size;
    },
    async create(app, registration) {
      assertRoom(app);
      assertToolsFit(app, registration.tools);
      const id = newId();
      if (index.has(id)) throw idTaken();
      const fresh = { credential: undefined, epoch: 0, saysHello: false };
      const stored = storedOf({ ...registration, id, app, ...fresh });
      store.save(stored);
      const session = keep(stored);
      publish({ kind: 'created', session });
      return session;
    },
    find: async (id, app) => findFor(id, app),
    list: async (app) => index.list(app),
    isLive: (session) => index.find(session.id) !== undefined,
    async renew({ id }) {
      const session = index.find(id);
      if (session !== undefined) index.touch(session);
    },
    async lease({ id }, credential) {
      const session = index.find(id);
      if (session === undefined) return undefined;
      // The credential of the first bridge, not of the current one: otherwise another credential could use a gap between two bridges.
      if (session.credential !== undefined && session.credential !== credential) throw wrongCredential();
      const epoch = session.epoch + 1;
      store.save({ ...storedOf(session), credential, epoch });
      Object.assign(session, { credential, epoch, bridge: { epoch } });
      session.attachedAs = ++attachments;
      session.hasGreeted = false;
      index.touch(session);
      publish({ kind: 'attached', session });
      return { session, epoch };
    },
    async greet(lease) {
      const session = leased(lease);
      if (session === undefined) return;
      session.hasGreeted = true;
      setSaysHello(session, true);
    },
    async replaceTools(lease, tools) {
      const session = leased(lease);
      if (session === undefined) return false;
      if (areSameTools(session.tools, tools)) return true;
      assertToolsFit(session.app, tools);
      store.save({ ...storedOf(session), tools });
      toolLists.release(session.app, session.tools);
      session.tools = toolLists.share(session.app, tools);
      publish({ kind: 'tools', session });
      return true;
    },
    async release(lease) {
      const session = leased(lease);
      if (session === undefined) return false;
      // Done even if the write fails: a session with a bridge never expires.
      session.bridge = undefined;
      index.touch(session);
      try {
        setSaysHello(session, session.hasGreeted);
      } finally {
        publish({ kind: 'detached', session });
      }
      return true;
    },
    async remove(app, id) {
      const session = findFor(id, app);
      if (session === undefined) return false;
      end(session, 'removed');
      return true;
    },
    sweep: async () => sweep(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Copies only these fields, because a registration may have others. */
function storedOf(session: StoredAppSession): StoredAppSession {
  const { id, app, deviceId, deviceName, appVersion, chatId, tools, credential, epoch, saysHello } = session;
  return { id, app, deviceId, deviceName, appVersion, chatId, tools, credential, epoch, saysHello };
}

export interface KeptSession extends StoredAppSession, Session {
  tools: readonly AppTool[];
  bridge: Bridge | undefined;
  credential: string | undefined;
  epoch: number;
  saysHello: boolean;
  attachedAs: number;
  /** The current bridge has said hello. */
  hasGreeted: boolean;
  lastUsed: number;
}

/** Sessions by id and by app, and those without a bridge in the order in which they expire. */
interface SessionIndex {
  readonly size: number;
  countOf(app: string): number;
  /** Includes expired sessions. */
  has(id: string): boolean;
  /** Undefined if expired, even before the sweep. */
  find(id: string): KeptSession | undefined;
  /** Sessions of one app or of all, oldest first. */
  list(app?: string): KeptSession[];
  add(session: KeptSession): void;
  remove(session: KeptSession): void;
  /** Called when it was used, connected or disconnected. */
  touch(session: KeptSession): void;
  /** Expired sessions, without visiting others. The consumer may remove them while iterating. */
  expired(): Iterable<KeptSession>;
}

/** `now` is monotonic: a clock that is set back must not change the order. */
export function createSessionIndex(now: () => number, ttlMs: number): SessionIndex {
  const byId = new Map<string, KeptSession>();
  const byApp = new Map<string, Set<KeptSession>>();
  /** Sessions without a bridge, least recently used first. */
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
