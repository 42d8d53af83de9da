/**
 * The protocol constants of this library and the proxy. The library imports nothing of the hub, so these are copies.
 * test/pins/app-wire.test.ts fails if one of them differs.
 */
import { toBase64Url } from './encoding.ts';

export const VERSION = 1;
export const FEATURES = ['progress', 'cancel', 'chunks', 'tools_changed', 'media'] as const;

/** Close codes of the proxy. */
export const CLOSED = { refused: 4401, unknown: 4404, takenOver: 4409 } as const;

/** Maximum size of a frame that is sent in chunks. */
export const MAX_JOINED_BYTES = 64 * 1024 * 1024;
/** Maximum length of a progress message. */
export const MAX_PROGRESS_CHARS = 4_096;

/** Encodes the token in UTF-8, because `fetch` sends each character of a header as one byte. */
export const authorizationOf = (token: string): string =>
  `Bearer ${String.fromCharCode(...new TextEncoder().encode(token))}`;

const SUBPROTOCOL = 'pincer.bridge';
const TOKEN_PREFIX = 'pincer.token.';

/** A page cannot set headers of a WebSocket, so the token is sent as the name of a second subprotocol. */
export const subprotocolsOf = (token: string): string[] =>
  token === '' ? [SUBPROTOCOL] : [SUBPROTOCOL, TOKEN_PREFIX + toBase64Url(token)];
