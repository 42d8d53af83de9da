/**
 * The port behind which the sessions of all apps are kept. `local-directory.ts` implements it for one process. What a store
 * shared by several processes would answer over the network is a promise here; what each process must know by itself is not.
 */
import type { ViewSubject } from '../../core/catalog/catalog.ts';
import { PincerError } from '../../core/errors.ts';
import type { StoredAppSession, StoredAppTool } from '../../core/ports.ts';

export type AppTool = StoredAppTool;

/** What the app says of itself, already checked and detached from the message: all of it is kept. */
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
 * One object per session, owned by the directory and kept up to date as long as the session lives. So an entry point
 * looks a session up once and passes it on. A session that has ended stays as it was.
 */
export interface Session extends Registration, ViewSubject {
  readonly app: string;
  readonly bridge: Bridge | undefined;
  /** A digest of what its first bridge has proved. */
  readonly credential: string | undefined;
  /** Its app has said hello, on the present bridge or on the last one. */
  readonly saysHello: boolean;
  /** Grows with each bridge of any session, so the latest bridge has the greatest. Zero: none since the start. */
  readonly attachedAs: number;
  /** When it was created or used, or its bridge came or went, in milliseconds that only grow. */
  readonly lastUsed: number;
}

/** The right to act for a session's bridge. A later lease of the same session has a greater epoch and makes this one stale. */
export interface Lease {
  readonly session: Session;
  readonly epoch: number;
}

export interface SessionChange {
  readonly kind: 'created' | 'removed' | 'expired' | 'tools' | 'attached' | 'detached';
  readonly session: Session;
}

/**
 * Operations on one session take effect in the order in which they were called. One that rejects has changed nothing, except
 * `release`: the bridge is gone whether or not that can be recorded.
 */
export interface SessionDirectory {
  /** For metrics. Counts expired sessions until they are swept. */
  readonly size: number;
  /** Rejects with SERVER_BUSY if the app or all apps together have too many sessions, or the app's tools are too large. */
  create(app: string, registration: Registration): Promise<Session>;
  /** Undefined if unknown, expired, or not of `app` where one is given. Finding a session does not renew it. */
  find(id: string, app?: string): Promise<Session | undefined>;
  /** The oldest first. */
  list(app?: string): Promise<readonly Session[]>;
  /** False as soon as the session was removed or has expired. Answers from what this process knows, without I/O. */
  isLive(session: Session): boolean;
  /** The session has been used: its idle time starts again. No effect on a session that has ended. */
  renew(session: Session): Promise<void>;
  /**
   * Makes a new bridge the current one. Undefined if the session has ended. `credential` is a digest of what the bridge
   * has proved: rejects with TOKEN_INVALID if it is not that of the session's first bridge.
   */
  lease(session: Session, credential: string): Promise<Lease | undefined>;
  /** Records that the leased bridge has said hello. A stale lease has no effect. */
  greet(lease: Lease): Promise<void>;
  /** False if the lease is stale or the session has ended. Rejects with SERVER_BUSY if the app's tools are too large. */
  replaceTools(lease: Lease, tools: readonly AppTool[]): Promise<boolean>;
  /** The leased bridge has gone. False, and no effect, if the lease is stale. */
  release(lease: Lease): Promise<boolean>;
  /** False if the app has no such session. */
  remove(app: string, id: string): Promise<boolean>;
  /** Removes and returns the sessions that have expired. A session with a bridge never expires. */
  sweep(): Promise<readonly Session[]>;
  /** Subscribes to changes, each told once, after it took effect. Returns the way to unsubscribe. */
  onChange(listener: (change: SessionChange) => void): () => void;
}

/** The session that a request is for, as the entry point found it. */
export const sessionOf = (view: unknown): Session | undefined =>
  typeof view === 'object' && view !== null && 'attachedAs' in view ? (view as Session) : undefined;

export const appIsFull = (app: string, limit: number): PincerError =>
  new PincerError('SERVER_BUSY', `App ${app} has ${limit} sessions, and may not have more.`, {
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
  new PincerError('SERVER_BUSY', 'All apps together have as many sessions as they may.', {
    hint: 'Try again later, or raise limits.maxAppSessions.',
    data: { limit },
  });

export const wrongCredential = (): PincerError =>
  new PincerError('TOKEN_INVALID', 'The first bridge of this session had another credential.', {
    hint: 'Connect with the credential of the first bridge, or create a new session.',
  });

export const idTaken = (): PincerError =>
  new PincerError('INTERNAL', 'The id for a new session belongs to another one.');
