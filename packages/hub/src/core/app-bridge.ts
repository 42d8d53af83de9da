/** What the app proxy's listener and the links say to each other about one bridge. */
import type { ErrorCode } from './errors.ts';

/** An app, and a digest of what it has proved itself by. */
export interface Visitor {
  readonly app: string;
  readonly credential: string;
}

/** The wire of one bridge. */
export interface BridgeSocket {
  send(text: string): void;
  /** Asks the app whether it is still there. Apart from `send`, because everybody is asked again and again. */
  ping(): void;
  /** False as soon as either side has said goodbye: nothing that is sent then arrives. */
  readonly isOpen: boolean;
  /** Bytes that were sent and that the app has not read yet. */
  readonly unsentBytes: number;
  close(code: number, reason: string): void;
}

/** The end of a bridge that its socket talks to. */
export interface OpenBridge {
  hear(text: string): void;
  closed(): void;
}

/** Why a bridge was not let in. */
export interface BridgeRefusal {
  /** Of `CLOSE`. */
  readonly code: number;
  readonly reason: string;
  readonly why: ErrorCode;
}

/** How an app is asked whether it is still there. */
export const PING_TEXT = '{"type":"ping"}';

/** Why a bridge is closed. 4401 and 4404 are those of the document that the proxy follows. */
export const CLOSE = {
  unauthorized: 4401,
  unknownSession: 4404,
  silent: 4408,
  replaced: 4409,
  tooSlow: 4413,
  noText: 1003,
  failed: 1011,
  restart: 1012,
} as const;
