/** What an app has registered, and what is known of it. */
import type { StoredAppSession, StoredAppTool } from '../../../core/ports.ts';

export type AppTool = StoredAppTool;

/** What the app says of itself. Whoever read it has checked it and detached it from the message: all of it is kept. */
export type Registration = Pick<
  StoredAppSession,
  'deviceId' | 'deviceName' | 'appVersion' | 'chatId' | 'tools'
>;

/** The connection over which the app runs its tools. */
export interface Bridge {
  /** Of its session; grows with each bridge, across restarts too. */
  readonly epoch: number;
}

/** The book's own, and always as it is now. One that has ended stays as it was when it did. */
export interface Session extends Registration {
  readonly id: string;
  readonly app: string;
  readonly bridge: Bridge | undefined;
  /** A digest of what its first bridge has proved. */
  readonly credential: string | undefined;
  /** Its app has said hello, on the bridge that is there or on the last one. */
  readonly saysHello: boolean;
  /** Grows with each bridge of any session: the one that came last has the greatest. Zero: none came since the start. */
  readonly attachedAs: number;
  /** When it was created or used, or its bridge came or went, in milliseconds that only grow. */
  readonly lastUsed: number;
}

export interface SessionChange {
  readonly kind: 'created' | 'removed' | 'expired' | 'tools' | 'attached' | 'detached';
  readonly session: Session;
}
