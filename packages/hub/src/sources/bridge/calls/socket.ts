/** The wire of one bridge, as whoever holds it gives it to us. */
export interface BridgeSocket {
  send(text: string): void;
  /** False as soon as either side has said goodbye: nothing that is sent then arrives. */
  readonly isOpen: boolean;
  /** Bytes that were sent and that the app has not read yet. */
  readonly unsentBytes: number;
  close(code: number, reason: string): void;
}

/** Why a bridge is closed. 4401 and 4404 are those of the document that the proxy follows. */
export const CLOSE = {
  unauthorized: 4401,
  unknownSession: 4404,
  silent: 4408,
  replaced: 4409,
  tooSlow: 4413,
  failed: 1011,
  restart: 1012,
} as const;
