/**
 * Requests to the endpoints of an authorization server: oauth4webapi writes them, the guard sends them. The answers are read
 * here, since oauth4webapi refuses many that servers really give (docs/adr/0052).
 */
import {
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  modifyAssertion,
  None,
  PrivateKeyJwt,
  revocationRequest,
  type AuthorizationServer,
  type ClientAuth,
} from 'oauth4webapi';
import { PincerError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import { visible } from '../../../core/visible.ts';
import type { Client, Grant } from '../grant.ts';
import type { Bounds } from '../guard/bounds.ts';
import type { Answer, GuardedFetch } from '../guard/guarded-fetch.ts';
import { fieldsOf, textIn } from '../read-json.ts';
import { scopesIn } from '../scopes.ts';
import { openDpop, WITH_HTTP, type SigningKey } from './signing-keys.ts';

export interface EndpointParts {
  readonly fetch: GuardedFetch;
  readonly bounds: Bounds;
}

export interface TokenEndpointParts extends EndpointParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly authorizationServer: AuthorizationServer;
  readonly client: Client;
  /** The key of a client that authenticates by `private_key_jwt`. */
  readonly key?: SigningKey | undefined;
  readonly dpop?: { readonly privateJwk: object } | undefined;
}

/** Undefined values are left out of the form. */
export type TokenParams = Readonly<Record<string, string | undefined>> & { readonly grant_type: string };

interface SentRequest {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: URLSearchParams | string;
}

type GuardOptions = typeof WITH_HTTP & {
  readonly [customFetch]: (url: string, request: SentRequest) => Promise<Response>;
};

/**
 * Sends one request of oauth4webapi through the guard, and returns the answer as the guard read it. The library only
 * sees the DPoP nonce.
 * @param what names the endpoint in error messages: `The token endpoint`.
 */
export async function askEndpoint(
  { fetch, bounds }: EndpointParts,
  what: string,
  request: (options: GuardOptions) => Promise<Response>,
): Promise<Answer> {
  let answer: Answer | undefined;
  await request({
    ...WITH_HTTP,
    async [customFetch](url, { method, headers: written, body }) {
      // It would name the library.
      const { 'user-agent': _, ...headers } = written;
      answer = await fetch(url, bounds, { what, method, headers, body: body.toString() });
      const nonce = answer.headers['dpop-nonce'];
      return new Response(null, { headers: typeof nonce === 'string' ? { 'dpop-nonce': nonce } : {} });
    },
  });
  return answer!;
}

export async function requestToken(parts: TokenEndpointParts, params: TokenParams): Promise<TokenAnswer> {
  return readTokenAnswer(await postToTokenEndpoint(parts, 'The token endpoint', params));
}

/** @param what names the endpoint in error messages. */
export async function postToTokenEndpoint(
  parts: TokenEndpointParts,
  what: string,
  { grant_type, ...params }: TokenParams,
): Promise<Answer> {
  const { authorizationServer, client, clock, dpop } = parts;
  const DPoP = dpop && openDpop(dpop.privateJwk, () => clock.now());
  const send = (): Promise<Answer> =>
    askEndpoint(parts, what, (options) =>
      genericTokenEndpointRequest(
        authorizationServer,
        { client_id: client.clientId },
        clientAuth(parts),
        grant_type,
        definedIn(params),
        { ...options, ...(DPoP && { DPoP }) },
      ),
    );
  const first = await send();
  // RFC 9449 §8: the first answer may ask for a nonce, which the handle has kept.
  const wantsNonce =
    DPoP !== undefined &&
    fieldsOf(first.text)?.['error'] === 'use_dpop_nonce' &&
    typeof first.headers['dpop-nonce'] === 'string';
  return wantsNonce ? send() : first;
}

export const definedIn = (params: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** How a client authenticates to an authorization server (RFC 6749 §2.3, RFC 7523). */
export function clientAuth({
  client,
  key,
  clock,
}: Pick<TokenEndpointParts, 'client' | 'key' | 'clock'>): ClientAuth {
  const { clientSecret = '', authMethod } = client;
  switch (authMethod) {
    case 'none':
      return None();
    case 'client_secret_post':
      return ClientSecretPost(clientSecret);
    case 'client_secret_basic':
      return basicAuth(clientSecret);
    case 'private_key_jwt': {
      if (key === undefined) throw new TypeError('a client with private_key_jwt has a key');
      return PrivateKeyJwt(
        { key: key.key, ...(key.id !== undefined && { kid: key.id }) },
        {
          [modifyAssertion](header, claims) {
            // RFC 9864 renames EdDSA to Ed25519; most servers know the old name only.
            Object.assign(header, { typ: 'JWT', alg: key.algorithm });
            const iat = Math.floor(clock.now() / 1_000);
            Object.assign(claims, { iat, exp: iat + ASSERTION_SECONDS });
            // Refused by a server whose clock is a second behind.
            delete claims['nbf'];
          },
        },
      );
    }
  }
}

const ASSERTION_SECONDS = 60;

/**
 * HTTP Basic, form-encoded as RFC 6749 appendix B has it. oauth4webapi also encodes `-`, `.`, `_` and `*`, and many servers
 * decode nothing.
 */
const basicAuth =
  (clientSecret: string): ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const pair = `${formEncoded(client_id)}:${formEncoded(clientSecret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

export interface TokenAnswer {
  readonly accessToken: string;
  readonly isDpop: boolean;
  readonly refreshToken?: string;
  readonly expiresInMs?: number;
  /** Absent if they are the requested ones. */
  readonly scopes?: readonly string[];
}

/** Other characters could end a header and begin another. */
const SENDABLE = /^[\x21-\x7e]+$/;
/** More than thirty years is a mistake of a unit. */
const MAX_SECONDS = 1_000_000_000;

/** Reads the answer of a token endpoint (RFC 6749 §5). Servers leave out the type, and members are null. */
export function readTokenAnswer({ status, text }: Pick<Answer, 'status' | 'text'>): TokenAnswer {
  const fields = fieldsOf(text);
  if (status !== 200 || fields === undefined) throw tokenRefusal(status, text);
  const accessToken = textIn(fields, 'access_token');
  if (accessToken === undefined || !SENDABLE.test(accessToken)) throw unusable('no usable token');
  const type = textIn(fields, 'token_type')?.toLowerCase() ?? 'bearer';
  if (type !== 'bearer' && type !== 'dpop') throw unusable(`a token of the type "${visible(type)}"`);
  const refreshToken = textIn(fields, 'refresh_token');
  const seconds = secondsIn(fields['expires_in']);
  const scope = textIn(fields, 'scope');
  return {
    accessToken,
    isDpop: type === 'dpop',
    ...(refreshToken !== undefined && { refreshToken }),
    // With a lifetime of zero, every request would renew the token.
    ...(seconds > 0 && { expiresInMs: Math.min(seconds, MAX_SECONDS) * 1_000 }),
    ...(scope !== undefined && { scopes: scopesIn(scope) }),
  };
}

/** Some servers write the number as a string. */
const secondsIn = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;

/** The OAuth error code is in `data.oauthError`: callers act on it. */
export function tokenRefusal(status: number, text: string): PincerError {
  const fields = fieldsOf(text) ?? {};
  const error = textIn(fields, 'error');
  const description = textIn(fields, 'error_description');
  const why = [error, description]
    .filter((text) => text !== undefined)
    .map((text) => visible(text.slice(0, 300)));
  return new PincerError(
    'SIGN_IN_FAILED',
    `The authorization server refused (HTTP ${status}${why.length > 0 ? `, ${why.join(': ')}` : ''}).`,
    { data: { status, ...(error !== undefined && { oauthError: error.slice(0, 100) }) } },
  );
}

const unusable = (what: string): PincerError =>
  new PincerError('SIGN_IN_FAILED', `The authorization server returned ${what}.`);

/**
 * Revokes a grant (RFC 7009). Returns false if the server has no such endpoint or refused: then the grant may stay valid
 * there until it expires.
 */
export async function revoke(parts: TokenEndpointParts, grant: Grant): Promise<boolean> {
  const { refreshToken, accessToken } = grant;
  if (parts.authorizationServer.revocation_endpoint === undefined) return false;
  const send = (token: string, hint: string): Promise<boolean> =>
    askEndpoint(parts, 'The revocation endpoint', (options) =>
      revocationRequest(
        parts.authorizationServer,
        { client_id: parts.client.clientId },
        clientAuth(parts),
        token,
        { ...options, additionalParameters: { token_type_hint: hint } },
      ),
    ).then(
      ({ status }) => status === 200,
      () => false,
    );
  // The refresh token first: its access tokens end with it (RFC 7009 §2.1).
  const isRefreshRevoked = refreshToken === undefined || (await send(refreshToken, 'refresh_token'));
  const isAccessRevoked = await send(accessToken, 'access_token');
  return refreshToken === undefined ? isAccessRevoked : isRefreshRevoked;
}
