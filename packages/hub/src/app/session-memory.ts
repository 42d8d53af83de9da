/**
 * The session of a page, over a reload of it: kept in `sessionStorage`, which is the tab's own.
 *
 * A tab that is duplicated gets a copy of that storage. Both would hold the same session, and each would take the bridge
 * from the other. So a page holds a lock by the session's name for as long as it lives; whoever finds it taken begins a
 * session of its own. A page that is reloaded, discarded or has crashed holds nothing. Where there are no locks (pages
 * over plain HTTP from another machine), the later tab takes over, and the earlier one is told and stays quiet.
 */
import type { AppSession } from './session.ts';

/** As `sessionStorage` and `localStorage` have them. */
export interface SessionStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Locks {
  request(name: string, options: { signal: AbortSignal }, held: () => Promise<void>): Promise<unknown>;
}

export interface Memory {
  /** The session to take up again, if there is one and no other page has it. */
  recall(): Promise<AppSession | undefined>;
  keep(session: AppSession): void;
  forget(): void;
  /** Lets another page have it. */
  letGo(): void;
}

export interface MemoryOptions {
  readonly storage: SessionStorage | undefined;
  readonly locks: Locks | undefined;
  readonly key: string;
  readonly claimMs: number;
}

export function createMemory({ storage, locks, key, claimMs }: MemoryOptions): Memory {
  let letGo = (): void => {};

  async function claim(sessionId: string): Promise<boolean> {
    if (locks === undefined) return true;
    letGo();
    const over = new AbortController();
    const end = Promise.withResolvers<void>();
    letGo = () => {
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
      const session = sessionIn(quietly(() => storage?.getItem(key)));
      return session !== undefined && (await claim(session.sessionId)) ? session : undefined;
    },
    keep(session) {
      if (storage === undefined) return;
      quietly(() => storage.setItem(key, JSON.stringify(session)));
      void claim(session.sessionId);
    },
    forget() {
      quietly(() => storage?.removeItem(key));
      letGo();
    },
    letGo: () => letGo(),
  };
}

/** A storage may be full, or closed to this page: then nothing is remembered, and everything else works. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

function sessionIn(text: string | null | undefined): AppSession | undefined {
  const value = quietly(() => JSON.parse(text ?? 'null') as Partial<AppSession> | null);
  const { sessionId, bridgeUrl, mcpUrl } = value ?? {};
  if (typeof sessionId !== 'string' || typeof bridgeUrl !== 'string' || typeof mcpUrl !== 'string')
    return undefined;
  return { sessionId, bridgeUrl, mcpUrl };
}
