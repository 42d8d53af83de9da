/**
 * Remembers the session of a page across reloads, in the `sessionStorage` of the tab.
 *
 * A duplicated tab gets a copy of that storage, and both tabs would replace each other's bridge. So a page holds a lock
 * with the name of the session while it lives, and a page that cannot get the lock creates its own session. A page that
 * was reloaded, discarded or has crashed holds no lock. Without locks (pages over plain HTTP from another machine), the
 * later tab replaces the earlier one, which is notified and does not reconnect.
 */
import type { AppSession } from './session.ts';

/** The part of `sessionStorage` and `localStorage` that is used. */
export interface SessionStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Locks {
  request(name: string, options: { signal: AbortSignal }, held: () => Promise<void>): Promise<unknown>;
}

export interface Memory {
  /** Returns the remembered session, unless there is none or another page holds it. */
  recall(): Promise<AppSession | undefined>;
  keep(session: AppSession): void;
  forget(): void;
  /** Releases the session to other pages. */
  releaseLock(): void;
}

export interface MemoryOptions {
  readonly storage: SessionStorage | undefined;
  readonly locks: Locks | undefined;
  readonly key: string;
  readonly claimMs: number;
}

export function createMemory({ storage, locks, key, claimMs }: MemoryOptions): Memory {
  let releaseLock = (): void => {};

  async function claim(sessionId: string): Promise<boolean> {
    if (locks === undefined) return true;
    releaseLock();
    const over = new AbortController();
    const end = Promise.withResolvers<void>();
    releaseLock = () => {
      over.abort();
      end.resolve();
    };
    return new Promise((resolve) => {
      const hold = (): Promise<void> => {
        resolve(true);
        return end.promise;
      };
      const signal = AbortSignal.any([over.signal, AbortSignal.timeout(claimMs)]);
      locks.request(`pincer.session:${sessionId}`, { signal }, hold).catch(() => resolve(false));
    });
  }

  return {
    async recall() {
      const session = sessionIn(ignoringErrors(() => storage?.getItem(key)));
      return session !== undefined && (await claim(session.sessionId)) ? session : undefined;
    },
    keep(session) {
      if (storage === undefined) return;
      ignoringErrors(() => storage.setItem(key, JSON.stringify(session)));
      void claim(session.sessionId);
    },
    forget() {
      ignoringErrors(() => storage?.removeItem(key));
      releaseLock();
    },
    releaseLock: () => releaseLock(),
  };
}

/** A storage may be full or forbidden. Then nothing is remembered, and everything else works. */
function ignoringErrors<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

function sessionIn(text: string | null | undefined): AppSession | undefined {
  const value = ignoringErrors(() => JSON.parse(text ?? 'null') as Partial<AppSession> | null);
  const { sessionId, bridgeUrl, mcpUrl } = value ?? {};
  if (typeof sessionId !== 'string' || typeof bridgeUrl !== 'string' || typeof mcpUrl !== 'string')
    return undefined;
  return { sessionId, bridgeUrl, mcpUrl };
}
