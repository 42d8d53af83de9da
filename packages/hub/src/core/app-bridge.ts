/** The interface between the app proxy's listener and the links for one bridge. */
import type { ErrorCode } from './errors.ts';

/** An app and the digest of the credential that it presented. */
export interface Visitor {
  readonly app: string;
  readonly credential: string;
}

export interface BridgeSocket {
  send(text: string): void;
  /** Sends a keep-alive ping. Separate from `send`, because every bridge gets the same text again and again. */
  ping(): void;
  /** False as soon as either side has started to close. Frames sent after that do not arrive. */
  readonly isOpen: boolean;
  /** Bytes sent that the app has not read yet. */
  readonly unsentBytes: number;
  close(code: number, reason: string): void;
}

/** The bridge as seen from its socket. */
export interface OpenBridge {
  hear(text: string): void;
  closed(): void;
}

/** Why a bridge was refused. */
export interface BridgeRefusal {
  /** One of `CLOSE`. */
  readonly code: number;
  readonly reason: string;
  readonly why: ErrorCode;
}

/** The keep-alive frame sent to an app. */
export const PING_TEXT = '{"type":"ping"}';

/** WebSocket close codes of a bridge. The proxy's specification defines 4401 and 4404. */
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
