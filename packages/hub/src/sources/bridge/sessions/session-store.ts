import type { AppSessionStore, StoredAppSession } from '../../../core/ports.ts';

export type StoredSession = StoredAppSession;
export type SessionStore = AppSessionStore;

/** For a hub that keeps nothing. */
export const NO_STORE: SessionStore = { load: () => [], save: () => undefined, remove: () => undefined };
