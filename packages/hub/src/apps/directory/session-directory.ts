/**
 * The port to the sessions of all apps. `local-directory.ts` implements it for one process. Operations that a shared store
 * would answer over the network return a promise. Those that a process must answer by itself do not.
 */
import type { ViewSubject } from '../../core/catalog/catalog.ts';
import { PincerError } from '../../core/errors.ts';
import type { StoredAppSession, StoredAppTool } from '../../core/ports.ts';

export type AppTool = StoredAppTool;

/** The app's description of itself, checked and detached from the message, because all of it is kept. */
export type Registration = Pick<
  StoredAppSession,
  'deviceId' | 'deviceName' | 'appVersion' | 'chatId' | 'tools'
>;

/** The connection over which the app runs its tools. */
export interface Bridge {
  /** Grows with each bridge of the session, across restarts too. */
  readonly epoch: number;
}

/**
 * One object per session, owned by the directory and updated while the session lives. An endpoint looks a session up
 * once and passes it on. A session that has ended no longer changes.
 */
export interface Session extends Registration, ViewSubject {
  readonly app: string;
  readonly bridge: Bridge | undefined;
  /** A digest of the credential of its first bridge. */
  readonly credential: string | undefined;
  /** Whether its app has said hello, on the current bridge or on the last one. */
  readonly saysHello: boolean;
  /** Grows with each bridge of any session, so the latest bridge has the highest number. Zero: no bridge since the start. */
  readonly attachedAs: number;
  /** When it was last created, used, connected or disconnected, in monotonic milliseconds. */
  readonly lastUsed: number;
}

/** The right to act for a session's bridge. A later lease of the same session has a higher epoch and makes this one stale. */
export interface Lease {
  readonly session: Session;
  readonly epoch: number;
}

export interface SessionChange {
  readonly kind: 'created' | 'removed' | 'expired' | 'tools' | 'attached' | 'detached';
  readonly session: Session;
}

/**
 * Operations on one session take effect in the order of the calls. An operation that rejects has changed nothing, except
 * `release`: the bridge is closed even if that cannot be recorded.
 */
export interface SessionDirectory {
  /** For metrics. Counts expired sessions until they are swept. */
  readonly size: number;
  /** Rejects with SERVER_BUSY if the app or all apps together have too many sessions, or the app's tools are too large. */
  create(app: string, registration: Registration): Promise<Session>;
  /** Undefined if unknown, expired, or not of `app`, if given. Finding a session does not renew it. */
  find(id: string, app?: string): Promise<Session | undefined>;
  /** Oldest first. */
  list(app?: string): Promise<readonly Session[]>;
  /** False as soon as the session was removed or has expired. Needs no I/O. */
  isLive(session: Session): boolean;
  /** Restarts the idle time. No effect on a session that has ended. */
  renew(session: Session): Promise<void>;
  /**
   * Makes a new bridge the current one. Undefined if the session has ended. `credential` is a digest of the bridge's
   * credential: rejects with TOKEN_INVALID if it differs from that of the session's first bridge.
   */
  lease(session: Session, credential: string): Promise<Lease | undefined>;
  /** Records that the leased bridge has said hello. A stale lease has no effect. */
  greet(lease: Lease): Promise<void>;
  /** False if the lease is stale or the session has ended. Rejects with SERVER_BUSY if the app's tools are too large. */
  replaceTools(lease: Lease, tools: readonly AppTool[]): Promise<boolean>;
  /** Called when the leased bridge has closed. Returns false, without effect, if the lease is stale. */
  release(lease: Lease): Promise<boolean>;
  /** False if the app has no such session. */
  remove(app: string, id: string): Promise<boolean>;
  /** Removes and returns the sessions that have expired. A session with a bridge never expires. */
  sweep(): Promise<readonly Session[]>;
  /** Listens to changes, each reported once after it took effect. Returns a function that removes the listener. */
  onChange(listener: (change: SessionChange) => void): () => void;
}

/** The session of a request, as the endpoint found it. */
export const sessionOf = (view: unknown): Session | undefined =>
  typeof view === 'object' && view !== null && 'attachedAs' in view ? (view as Session) : undefined;

export const appIsFull = (app: string, limit: number): PincerError =>
  new PincerError('SERVER_BUSY', `App ${app} has reached its limit of ${limit} sessions.`, {
    hint: 'Delete sessions that are no longer used, or raise limits.maxSessionsPerApp.',
    data: { limit },
  });

export const toolsAreTooLarge = (app: string, limit: number): PincerError =>
  new PincerError('SERVER_BUSY', `The tools of all sessions of ${app} have more than ${limit} bytes.`, {
    hint: 'Register the same tools for all sessions, or fewer, or raise limits.maxToolBytesPerApp.',
    data: { limit },
  });

/** An app must not learn how many sessions other apps have. */
export const directoryIsFull = (limit: number): PincerError =>
  new PincerError('SERVER_BUSY', 'The limit of sessions for all apps together is reached.', {
    hint: 'Try again later, or raise limits.maxAppSessions.',
    data: { limit },
  });

export const wrongCredential = (): PincerError =>
  new PincerError('TOKEN_INVALID', 'The first bridge of this session had another credential.', {
    hint: 'Connect with the credential of the first bridge, or create a new session.',
  });

export const idTaken = (): PincerError =>
  new PincerError('INTERNAL', 'The id for a new session belongs to another one.');
