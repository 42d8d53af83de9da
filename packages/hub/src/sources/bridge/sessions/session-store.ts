import type { Registration } from './session.ts';

/** What outlives a restart. When a session was last used does not: while no hub runs, nobody could use it. */
export interface StoredSession extends Registration {
  readonly id: string;
  readonly app: string;
  /** A digest of what its first bridge has proved; the credential itself is never kept. */
  readonly credential: string | undefined;
  /** Of the latest bridge; zero: there has been none. */
  readonly epoch: number;
}

export interface SessionStore {
  load(): readonly StoredSession[];
  /** On disk when it returns, in place of what was there under the same id; or it throws, and nothing has changed. */
  save(session: StoredSession): void;
  remove(id: string): void;
}

/** For a hub that keeps nothing. */
export const NO_STORE: SessionStore = { load: () => [], save: () => undefined, remove: () => undefined };
