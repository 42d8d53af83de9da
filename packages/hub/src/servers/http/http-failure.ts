/** Interprets an HTTP answer that has no JSON-RPC answer in it. */
import { PincerError } from '../../core/errors.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { visible } from '../../core/visible.ts';
import { readChallenge } from '../oauth/discovery/challenge.ts';
import type { ServerTokens } from '../oauth/grants/server-tokens.ts';
import { inSeconds, retryAfterMs } from './http-headers.ts';

export interface HttpFailure {
  /** The server may have acted on the request. */
  readonly wasSent: boolean;
  readonly reason: PincerError;
  /** The protocol session is lost, or the server is unreachable: connect again. */
  readonly sessionEnded: boolean;
}

/** The server that a request was sent to. */
export interface HttpPeer {
  readonly server: string;
  readonly url: URL;
  /** A configured credential was sent. */
  readonly hasKey: boolean;
  /** Upper limit for `Retry-After`. */
  readonly maxRetryAfterMs: number;
  /** Set if the server supports signing in. */
  readonly tokens?: Pick<ServerTokens, 'isSignedIn' | 'hint'> | undefined;
}

/** The beginning of an HTTP answer. */
export interface HttpHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export function failureOfStatus(
  peer: HttpPeer,
  head: HttpHead,
  { hadSession, body = '' }: { readonly hadSession: boolean; readonly body?: ByteText },
): HttpFailure {
  const { server } = peer;
  const { status } = head;
  // The specification requires 404 for an unknown session; many servers send 400, and some send 400 for anything.
  if (hadSession && (status === 404 || status === 400)) {
    const message = `Server "${server}" has ended the session.`;
    const reason = new PincerError('SERVER_GONE', message, { hint: hintOf(server, head), data: { status } });
    return { wasSent: status === 400 && !/session/i.test(body), reason, sessionEnded: true };
  }
  return { wasSent: !isRefusal(head), reason: reasonOf(peer, head), sessionEnded: false };
}

function reasonOf(peer: HttpPeer, head: HttpHead): PincerError {
  const { status } = head;
  if (status === 401) return signInNeeded(peer, head);
  if (isRedirect(status)) return moved(peer, head);
  return (status === 403 ? scopeNeeded(peer, head) : undefined) ?? refused(peer, head);
}

/**
 * Statuses that mean nothing ran: authentication, address, rate, or a redirect (307, 308). A 503 may come from a
 * gateway after a timeout, so it counts only with `Retry-After`.
 */
const isRefusal = (head: HttpHead): boolean =>
  REFUSALS.has(head.status) || (head.status === 503 && waitOf(head) !== undefined);

const REFUSALS: ReadonlySet<number> = new Set([307, 308, 400, 401, 403, 404, 405, 406, 413, 415, 429]);

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

function refused({ server, maxRetryAfterMs }: HttpPeer, head: HttpHead): PincerError {
  const { status } = head;
  const after = waitOf(head);
  return new PincerError(
    isRefusal(head) ? 'SERVER_UNREACHABLE' : 'SERVER_PROTOCOL',
    `Server "${server}" ${sentence(status)}.`,
    {
      hint: hintOf(server, head),
      data: { status, ...(after !== undefined && { retryAfterMs: Math.min(after, maxRetryAfterMs) }) },
    },
  );
}

const sentence = (status: number): string =>
  status >= 200 && status < 300
    ? 'ended the stream without an answer'
    : `refused the request with HTTP ${status}`;

/** The delay that the server asks for, if any. */
export const waitOf = ({ status, headers }: HttpHead): number | undefined =>
  status === 429 || status === 503 ? retryAfterMs(headers['retry-after'], Date.now()) : undefined;

function hintOf(server: string, head: HttpHead): string | undefined {
  const { status } = head;
  if (status === 403) return `Check servers.${server}.apiKey or its headers.`;
  if (status === 404 || status === 405) return `Check servers.${server}.url: is it the MCP endpoint?`;
  const after = waitOf(head);
  if (after !== undefined) return `Try again in ${inSeconds(after)}, as the server requested.`;
  if (status === 429 || status === 503) return 'Try again in a moment.';
  return undefined;
}

const MAX_CHALLENGE_CHARS = 2_048;

/** The challenge is for the sign-in only: it is not enumerable, so it is neither logged nor passed on. */
function signInNeeded({ server, hasKey, tokens }: HttpPeer, head: HttpHead): PincerError {
  const data = Object.defineProperty({ status: head.status }, 'challenge', { value: challengeOf(head) });
  return hasKey
    ? new PincerError('SIGN_IN_NEEDED', `Server "${server}" does not accept its configured key.`, {
        hint: `Check servers.${server}.apiKey, or the Authorization in its headers.`,
        data,
      })
    : new PincerError(
        'SIGN_IN_NEEDED',
        tokens?.isSignedIn === true
          ? `Server "${server}" does not accept the sign-in any more (HTTP 401).`
          : `Server "${server}" wants a sign-in (HTTP 401).`,
        {
          hint: tokens?.hint ?? `Set servers.${server}.apiKey, or an Authorization in its headers.`,
          data,
        },
      );
}

export const challengeOf = ({ headers }: Pick<HttpHead, 'headers'>): string =>
  [headers['www-authenticate'] ?? ''].flat().join(', ').slice(0, MAX_CHALLENGE_CHARS);

/** A sign-in can be given more scopes (RFC 6750 §3.1); a key cannot. */
function scopeNeeded({ server, hasKey, tokens }: HttpPeer, head: HttpHead): PincerError | undefined {
  const challenge = readChallenge(challengeOf(head));
  if (hasKey || tokens === undefined || challenge?.error !== 'insufficient_scope') return undefined;
  const { scopes = [] } = challenge;
  const wanted = scopes.length === 0 ? 'more rights' : `the rights ${scopes.join(' ')}`;
  return new PincerError(
    'SCOPE_NEEDED',
    `Server "${server}" requires ${visible(wanted)}, which the sign-in did not grant.`,
    { hint: tokens.hint, data: { status: head.status, scopes } },
  );
}

/** Following a redirect could send a server's data to another server. */
function moved({ server, url }: HttpPeer, { status, headers }: HttpHead): PincerError {
  const location = headers['location'];
  const target = typeof location === 'string' ? URL.parse(location, url.href) : null;
  return new PincerError(
    'SERVER_UNREACHABLE',
    `Server "${server}" redirects ${placeOf(target, url)} (HTTP ${status}), and Pincer follows no redirects.`,
    { hint: `Put the right address into servers.${server}.url.`, data: { status } },
  );
}

/** Of another server only the origin is shown: the rest may be a secret. */
function placeOf(target: URL | null, url: URL): string {
  if (target === null || !/^https?:$/.test(target.protocol)) return 'elsewhere';
  return target.origin === url.origin ? `to its path ${target.pathname}` : `to ${target.origin}`;
}

/**
 * Codes of an unreachable or wrong server. They say nothing about a request that was sent earlier on an open
 * connection.
 */
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

export function failureOfTransport(server: string, error: Error, wasSent: boolean): HttpFailure {
  if (error instanceof NotSigned)
    return { wasSent: false, reason: error.reason, sessionEnded: error.reason.code === 'SERVER_GONE' };
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const isUnreachable = UNREACHABLE_CODES.has(code);
  const reason = new PincerError(
    wasSent ? 'SERVER_GONE' : 'SERVER_UNREACHABLE',
    wasSent
      ? `The connection to "${server}" broke before the answer (${code || error.message}).`
      : `Server "${server}" cannot be reached (${code || error.message}).`,
    { hint: wasSent ? undefined : `Is it running? Check servers.${server}.url.`, cause: error },
  );
  return { wasSent, reason, sessionEnded: isUnreachable };
}

/** The stream of an answer was cut off and could not be resumed. */
export const failureOfRest = (server: string, { reason, sessionEnded }: HttpFailure): HttpFailure => ({
  wasSent: true,
  reason: new PincerError(
    'SERVER_GONE',
    `The connection to "${server}" broke before the answer, and it could not be resumed: ${reason.message}`,
    { hint: 'Check whether it took effect before you repeat it.', data: reason.data, cause: reason },
  ),
  sessionEnded,
});

/** A request failed before it was sent, because no token was available. */
export class NotSigned extends Error {
  readonly reason: PincerError;

  constructor(reason: PincerError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** The sign-in that a connection was opened with has ended. */
export const signInOver = (server: string): PincerError =>
  new PincerError('SERVER_GONE', `The sign-in of the connection to "${server}" has ended.`);
