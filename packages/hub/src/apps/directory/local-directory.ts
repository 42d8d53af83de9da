/** The sessions of all apps. What is in memory is in the store, and was there first. */
import type { Limits } from '../../../core/limits.ts';
import type { AppTool, Bridge, Registration, Session, SessionChange } from './session.ts';
import { createSessionShelf, type KeptSession } from './session-shelf.ts';
import type { AppSessionStore, StoredAppSession } from '../../../core/ports.ts';
import { areSameTools, createOwnLists, createSharedTools } from './shared-tools.ts';
import { appIsFull, bookIsFull, idTaken, toolsAreTooLarge, wrongCredential } from './refusals.ts';

export interface SessionBookParts {
  /** Milliseconds that only grow. */
  now(): number;
  /** 128 random bits, as text. */
  newId(): string;
  readonly limits: Pick<
    Limits,
    'appSessionTtlMs' | 'maxSessionsPerApp' | 'maxAppSessions' | 'maxToolBytesPerApp'
  >;
  readonly store: AppSessionStore;
}

export interface SessionBook {
  /** With those that have expired and were not removed yet. */
  readonly size: number;
  /** Throws SERVER_BUSY where the app, or all apps together, have as many as they may, or the app's tools are too large. */
  create(app: string, registration: Registration): Session;
  /** Undefined also when it has expired. To look is not to use it: see `touch`. */
  find(id: string): Session | undefined;
  /** To another app a session does not exist. */
  findFor(app: string, id: string): Session | undefined;
  of(app: string): readonly Session[];
  all(): readonly Session[];
  remove(app: string, id: string): boolean;
  /** False: there is no such session. Throws SERVER_BUSY where the app's tools are too large. */
  replaceTools(id: string, tools: readonly AppTool[]): boolean;
  /** The session has been used: its time to live begins again. */
  touch(id: string): void;
  /** Removes and returns those that have expired. One with a bridge never does. */
  sweep(): Session[];
  /**
   * A bridge has come; the one that was there is no longer current, and is to be told so. `credential` is a digest of what
   * it has proved: throws TOKEN_INVALID where it is not that of the session's first bridge. Undefined: there is no such session.
   */
  attach(id: string, credential: string): Bridge | undefined;
  /** The bridge has said hello. */
  greet(id: string, epoch: number): void;
  /** What comes from a bridge that is not current is dropped. */
  isCurrent(id: string, epoch: number): boolean;
  /** A bridge has gone. Does nothing, and returns false, where it was not current. */
  detach(id: string, epoch: number): boolean;
  /** Told after each change. */
  onChange(listener: (change: SessionChange) => void): () => void;
}

export function createSessionBook(parts: SessionBookParts): SessionBook {
  const { now, newId, limits, store } = parts;
  const shelf = createSessionShelf(now, limits.appSessionTtlMs);
  const sharedTools = createSharedTools();
  const listeners = new Set<(change: SessionChange) => void>();
  let attachments = 0;

  const tell = (change: SessionChange): void => {
    for (const listener of listeners) listener(change);
  };

  function keep(stored: StoredAppSession): KeptSession {
    const tools = sharedTools.share(stored.app, stored.tools);
    const session: KeptSession = {
      ...storedOf(stored),
      tools,
      bridge: undefined,
      attachedAs: 0,
      hasGreeted: false,
      lastUsed: now(),
    };
    shelf.add(session);
    return session;
  }

  function end(session: KeptSession, kind: 'removed' | 'expired'): void {
    store.remove(session.id);
    shelf.remove(session);
    sharedTools.release(session.app, session.tools);
    tell({ kind, session });
  }

  function sweep(): Session[] {
    const gone: Session[] = [];
    for (const session of shelf.expired()) {
      end(session, 'expired');
      gone.push(session);
    }
    return gone;
  }

  /** What has expired is in nobody's way, even before it is removed. */
  function assertRoom(app: string): void {
    const isFull = (): boolean => shelf.size >= limits.maxAppSessions;
    const isAppFull = (): boolean => shelf.countOf(app) >= limits.maxSessionsPerApp;
    if (isFull() || isAppFull()) sweep();
    if (isAppFull()) throw appIsFull(app, limits.maxSessionsPerApp);
    if (isFull()) throw bookIsFull(limits.maxAppSessions);
  }

  function assertToolsFit(app: string, tools: readonly AppTool[]): void {
    const isTooMuch = (): boolean => sharedTools.bytesWith(app, tools) > limits.maxToolBytesPerApp;
    if (isTooMuch()) sweep();
    if (isTooMuch()) throw toolsAreTooLarge(app, limits.maxToolBytesPerApp);
  }

  /** Written down, because whoever calls after a restart must know whether the app comes back by itself. */
  function setSaysHello(session: KeptSession, saysHello: boolean): void {
    if (session.saysHello === saysHello) return;
    store.save({ ...storedOf(session), saysHello });
    session.saysHello = saysHello;
  }

  const findFor = (app: string, id: string): KeptSession | undefined => {
    const session = shelf.find(id);
    return session?.app === app ? session : undefined;
  };

  const isCurrent = (id: string, epoch: number): boolean => shelf.find(id)?.bridge?.epoch === epoch;

  const own = createOwnLists();
  for (const stored of store.load()) keep({ ...stored, tools: own(stored.app, stored.tools) });

  return {
    get size() {
      return shelf.size;
    },
    create(app, registration) {
      assertRoom(app);
      assertToolsFit(app, registration.tools);
      const id = newId();
      if (shelf.has(id)) throw idTaken();
      const stored = storedOf({
        ...registration,
        id,
        app,
        credential: undefined,
        epoch: 0,
        saysHello: false,
      });
      store.save(stored);
      const session = keep(stored);
      tell({ kind: 'created', session });
      return session;
    },
    find: (id) => shelf.find(id),
    findFor,
    of: (app) => shelf.of(app),
    all: () => shelf.all(),
    remove(app, id) {
      const session = findFor(app, id);
      if (session === undefined) return false;
      end(session, 'removed');
      return true;
    },
    replaceTools(id, tools) {
      const session = shelf.find(id);
      if (session === undefined) return false;
      if (areSameTools(session.tools, tools)) return true;
      assertToolsFit(session.app, tools);
      store.save({ ...storedOf(session), tools });
      sharedTools.release(session.app, session.tools);
      session.tools = sharedTools.share(session.app, tools);
      tell({ kind: 'tools', session });
      return true;
    },
    touch(id) {
      const session = shelf.find(id);
      if (session !== undefined) shelf.touch(session);
    },
    sweep,
    attach(id, credential) {
      const session = shelf.find(id);
      if (session === undefined) return undefined;
      // Of the first bridge, not of the one that is there: else one would only have to wait for a gap.
      if (session.credential !== undefined && session.credential !== credential) throw wrongCredential();
      const epoch = session.epoch + 1;
      store.save({ ...storedOf(session), credential, epoch });
      Object.assign(session, { credential, epoch, bridge: { epoch } });
      session.attachedAs = ++attachments;
      session.hasGreeted = false;
      shelf.touch(session);
      tell({ kind: 'attached', session });
      return { epoch };
    },
    greet(id, epoch) {
      const session = shelf.find(id);
      if (session === undefined || !isCurrent(id, epoch)) return;
      session.hasGreeted = true;
      setSaysHello(session, true);
    },
    isCurrent,
    detach(id, epoch) {
      const session = shelf.find(id);
      if (session === undefined || !isCurrent(id, epoch)) return false;
      // It is gone whether or not that can be written down: what counts as there would never expire.
      session.bridge = undefined;
      shelf.touch(session);
      try {
        setSaysHello(session, session.hasGreeted);
      } finally {
        tell({ kind: 'detached', session });
      }
      return true;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** These and no others: whatever else came with a registration is nobody's business. */
function storedOf(session: StoredAppSession): StoredAppSession {
  const { id, app, deviceId, deviceName, appVersion, chatId, tools, credential, epoch, saysHello } = session;
  return { id, app, deviceId, deviceName, appVersion, chatId, tools, credential, epoch, saysHello };
}
