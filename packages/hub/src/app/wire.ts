/**
 * What this library and the proxy have agreed on. It imports nothing of the hub, so these are copies;
 * test/pins/app-wire.test.ts fails where one of them differs.
 */
import { toBase64Url } from './encoding.ts';

export const VERSION = 1;
export const FEATURES = ['progress', 'cancel', 'chunks', 'tools_changed', 'media'] as const;

/** Close codes of the proxy. */
export const CLOSED = { refused: 4401, unknown: 4404, takenOver: 4409 } as const;

/** Size of a frame that is sent in chunks. */
export const MAX_JOINED_BYTES = 64 * 1024 * 1024;
/** Length of the message of a progress report. */
export const MAX_PROGRESS_CHARS = 4_096;

/** The token's bytes in UTF-8: `fetch` sends each character of a header as one byte. */
export const authorizationOf = (token: string): string =>
  `Bearer ${String.fromCharCode(...new TextEncoder().encode(token))}`;

const SUBPROTOCOL = 'pincer.bridge';
const TOKEN_PREFIX = 'pincer.token.';

/** A page can give a WebSocket no header: the token travels as the name of a second subprotocol. */
export const subprotocolsOf = (token: string): string[] =>
  token === '' ? [SUBPROTOCOL] : [SUBPROTOCOL, TOKEN_PREFIX + toBase64Url(token)];
