/** A server on the web: where it is, and what goes with each request. */
import { Pool } from 'undici';
import type { Limits } from '../../../core/limits.ts';
import type { HttpPeer } from './http-failure.ts';

export interface HttpTarget {
  readonly server: string;
  readonly url: URL;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly limits: Limits;
}

/** Sockets of one connection: as many as calls may run. */
const MAX_SOCKETS = 256;
/** Below the five seconds after which Node's own servers drop an idle socket. */
const SOCKET_KEEP_ALIVE_MS = 4_000;

/** To the one origin: a request cannot go anywhere else, and no redirect is followed. */
export const openSockets = ({ url, connectTimeoutMs }: HttpTarget): Pool =>
  new Pool(url.origin, {
    connections: MAX_SOCKETS,
    pipelining: 1,
    keepAliveTimeout: SOCKET_KEEP_ALIVE_MS,
    // A call may take as long as its deadline says: that is the connection's business.
    bodyTimeout: 0,
    headersTimeout: 0,
    connect: { timeout: connectTimeoutMs },
  });

export const peerOf = ({ server, url, headers, limits }: HttpTarget): HttpPeer => ({
  server,
  url,
  hasKey: 'authorization' in headers,
  maxRetryAfterMs: limits.maxRetryAfterMs,
});
