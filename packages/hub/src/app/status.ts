/** Where a connection is. The last three are final. */
export type Status =
  /** Not there yet, for the first time. */
  | 'connecting'
  /** Tools can be called. */
  | 'open'
  /** Lost, and tried again by itself until it is back. */
  | 'reconnecting'
  /** Another page or process has taken over the session. It is not fought for. */
  | 'replaced'
  /** The hub does not accept this app, or not any more. */
  | 'refused'
  /** By `close()`. */
  | 'closed';

export interface StatusChange {
  readonly status: Status;
  readonly sessionId: string | undefined;
  readonly mcpUrl: string | undefined;
  /** The session is another one than before: it had expired, or was deleted. Whoever has the old `mcpUrl` needs the new. */
  readonly isNewSession: boolean;
  /** Why it is not open, in words. */
  readonly reason?: string;
}

const FINAL: ReadonlySet<Status> = new Set(['replaced', 'refused', 'closed']);

export const isFinal = (status: Status): boolean => FINAL.has(status);
