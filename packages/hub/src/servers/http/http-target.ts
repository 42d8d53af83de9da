/** A web server: its address, and what each request carries. */
import { Pool } from 'undici';
import type { Limits } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import type { ServerTokens } from '../oauth/grants/server-tokens.ts';
import type { HttpPeer } from './http-failure.ts';
import { signSockets, type Sockets } from './signed-sockets.ts';

export interface HttpTarget {
  readonly server: string;
  readonly url: URL;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly limits: Limits;
  readonly log: Log;
  /** Absent if the headers carry a credential. */
  readonly tokens?: ServerTokens | undefined;
}

/** Sockets of one connection: as many as calls may run. */
const MAX_SOCKETS = 256;
/** Below the five seconds after which Node's own servers drop an idle socket. */
const SOCKET_KEEP_ALIVE_MS = 4_000;

/** A pool for the server's origin only; it follows no redirects. */
export function openSockets({ server, url, connectTimeoutMs, log, tokens }: HttpTarget): Sockets {
  const pool = new Pool(url.origin, {
    connections: MAX_SOCKETS,
    pipelining: 1,
    keepAliveTimeout: SOCKET_KEEP_ALIVE_MS,
    // The connection enforces the deadline of a call.
    bodyTimeout: 0,
    headersTimeout: 0,
    connect: { timeout: connectTimeoutMs },
  });
  if (tokens === undefined) return pool;
  // A person may have signed in since the last look.
  if (!tokens.isSignedIn) tokens.lookAgain();
  return signSockets({ server, origin: url.origin, pool, tokens, log });
}

export const peerOf = ({ server, url, headers, limits, tokens }: HttpTarget): HttpPeer => ({
  server,
  url,
  hasKey: 'authorization' in headers,
  maxRetryAfterMs: limits.maxRetryAfterMs,
  tokens,
});
