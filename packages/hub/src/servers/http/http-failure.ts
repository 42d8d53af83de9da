/** What an HTTP answer without a JSON-RPC answer in it means for a call. Pure. */
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
  /** The protocol session is gone, or nobody is there who could know it: connect anew. */
  readonly sessionEnded: boolean;
}

/** Whom a request went to. */
export interface HttpPeer {
  readonly server: string;
  readonly url: URL;
  /** A credential went with it. */
  readonly hasKey: boolean;
  /** How long it is left alone at most, whatever it asks for. */
  readonly maxRetryAfterMs: number;
  /** Where somebody can sign in to it. */
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
  // The specification says 404; many servers say 400 to a session that they do not know. Some say 400 to anything.
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
 * Refused before anything ran: who you are, where you knock, how often; or it is done elsewhere (307, 308). What stands
 * in front of a server says 503 of one that took too long; a server that does not want to work says when it will.
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

/** How long it wants to be left alone, if it says so. */
export const waitOf = ({ status, headers }: HttpHead): number | undefined =>
  status === 429 || status === 503 ? retryAfterMs(headers['retry-after'], Date.now()) : undefined;

function hintOf(server: string, head: HttpHead): string | undefined {
  const { status } = head;
  if (status === 403) return `Check servers.${server}.apiKey or its headers.`;
  if (status === 404 || status === 405) return `Check servers.${server}.url: is it the MCP endpoint?`;
  const after = waitOf(head);
  if (after !== undefined) return `Try again in ${inSeconds(after)}: the server asks for that.`;
  if (status === 429 || status === 503) return 'Wait a little, then try again.';
  return undefined;
}

const MAX_CHALLENGE_CHARS = 2_048;

/** What the server wants is for whoever signs in: it is neither logged nor passed on with the other facts. */
function signInNeeded({ server, hasKey, tokens }: HttpPeer, head: HttpHead): PincerError {
  const data = Object.defineProperty({ status: head.status }, 'challenge', { value: challengeOf(head) });
  return hasKey
    ? new PincerError(
        'SIGN_IN_NEEDED',
        `Server "${server}" does not accept the key that is configured for it.`,
        {
          hint: `Check servers.${server}.apiKey, or the Authorization in its headers.`,
          data,
        },
      )
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

/** Whoever has signed in may be given more (RFC 6750 §3.1); a key is what it is. */
function scopeNeeded({ server, hasKey, tokens }: HttpPeer, head: HttpHead): PincerError | undefined {
  const challenge = readChallenge(challengeOf(head));
  if (hasKey || tokens === undefined || challenge?.error !== 'insufficient_scope') return undefined;
  const { scopes = [] } = challenge;
  const wanted = scopes.length === 0 ? 'more rights' : `the rights ${scopes.join(' ')}`;
  return new PincerError(
    'SCOPE_NEEDED',
    `Server "${server}" wants ${visible(wanted)} for this, which the sign-in did not give.`,
    { hint: tokens.hint, data: { status: head.status, scopes } },
  );
}

/** To follow would be to send what is meant for one server to another. */
function moved({ server, url }: HttpPeer, { status, headers }: HttpHead): PincerError {
  const location = headers['location'];
  const target = typeof location === 'string' ? URL.parse(location, url.href) : null;
  return new PincerError(
    'SERVER_UNREACHABLE',
    `Server "${server}" redirects ${placeOf(target, url)} (HTTP ${status}), and Pincer follows no redirects.`,
    { hint: `Put the right address into servers.${server}.url.`, data: { status } },
  );
}

/** Of another server the origin alone: the rest may be meant for one pair of eyes. */
function placeOf(target: URL | null, url: URL): string {
  if (target === null || !/^https?:$/.test(target.protocol)) return 'elsewhere';
  return target.origin === url.origin ? `to its path ${target.pathname}` : `to ${target.origin}`;
}

/** Nobody is there, or somebody else. It says nothing of what was sent before, over a connection that had been there. */
const NOBODY_THERE: ReadonlySet<string> = new Set([
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
  const isNobodyThere = NOBODY_THERE.has(code);
  const reason = new PincerError(
    wasSent ? 'SERVER_GONE' : 'SERVER_UNREACHABLE',
    wasSent
      ? `The connection to "${server}" broke before the answer (${code || error.message}).`
      : `Server "${server}" cannot be reached (${code || error.message}).`,
    { hint: wasSent ? undefined : `Is it running? Check servers.${server}.url.`, cause: error },
  );
  return { wasSent, reason, sessionEnded: isNobodyThere };
}

/** The stream of an answer was cut off, and the rest of it cannot be had for this reason. */
export const failureOfRest = (server: string, { reason, sessionEnded }: HttpFailure): HttpFailure => ({
  wasSent: true,
  reason: new PincerError(
    'SERVER_GONE',
    `The connection to "${server}" broke before the answer, and the rest cannot be had: ${reason.message}`,
    { hint: 'Check whether it took effect before you repeat it.', data: reason.data, cause: reason },
  ),
  sessionEnded,
});

/** What goes wrong before a request is sent for lack of a token: the server has not seen it. */
export class NotSigned extends Error {
  readonly reason: PincerError;

  constructor(reason: PincerError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** What a connection was opened with is not there any more. */
export const signInOver = (server: string): PincerError =>
  new PincerError('SERVER_GONE', `The sign-in that the connection to "${server}" was opened with is over.`);
