/** When and how a grant is renewed. */
import { PincerError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import { isOwnFlow, type AuthSettings } from '../client/settings.ts';
import { ownProof } from '../flow/own-flow.ts';
import type { Grant } from '../grant.ts';
import { boundsOfGrant } from '../guard/bounds.ts';
import type { GuardedFetch } from '../guard/guarded-fetch.ts';
import { scopeText } from '../scopes.ts';
import { readSigningKey } from '../token/signing-keys.ts';
import { requestToken, type TokenAnswer, type TokenParams } from '../token/token-endpoint.ts';

/** A token is renewed a minute before it expires; a short-lived one after four fifths of its lifetime. */
const EARLY_MS = 60_000;
const SHARE = 0.8;

/** Without an expiry, a token is used until the server refuses it. */
export function isDue({ obtainedAt, expiresAt }: Grant, now: number): boolean {
  if (expiresAt === undefined) return false;
  return now >= Math.max(expiresAt - EARLY_MS, obtainedAt + (expiresAt - obtainedAt) * SHARE);
}

export const hasExpired = ({ expiresAt }: Grant, now: number): boolean => now >= (expiresAt ?? Infinity);

/** Rejects with SIGN_IN_FAILED. `refusalIn` tells whether retrying is useless. */
export type RenewGrant = (grant: Grant, settings: AuthSettings) => Promise<Grant>;

export interface RenewParts {
  readonly fetch: GuardedFetch;
  readonly clock: Pick<Clock, 'now'>;
}

/** No person is needed: there is a refresh token, or Pincer signs in by itself. */
export const isRenewable = ({ refreshToken }: Grant, { flow }: AuthSettings): boolean =>
  refreshToken !== undefined || isOwnFlow(flow);

export const createRenewGrant =
  ({ fetch, clock }: RenewParts): RenewGrant =>
  async (grant, settings) => {
    const { client, tokenEndpoint, key, dpop } = grant;
    const askedAt = clock.now();
    const answer = await requestToken(
      {
        fetch,
        bounds: boundsOfGrant(grant),
        clock,
        authorizationServer: { issuer: key.issuer, token_endpoint: tokenEndpoint },
        client,
        dpop,
        ...(client.authMethod === 'private_key_jwt' && { key: readSigningKey(settings.privateKey ?? '') }),
      },
      await paramsOf({ fetch, clock }, grant, settings),
    );
    return renewed(grant, answer, askedAt);
  };

/** RFC 6749 §6, RFC 8707 §2.2. Without a refresh token, Pincer repeats its own sign-in. */
async function paramsOf(parts: RenewParts, grant: Grant, auth: AuthSettings): Promise<TokenParams> {
  const { refreshToken, scopes, sendsResource, key } = grant;
  const resource = sendsResource ? key.resource : undefined;
  if (refreshToken !== undefined)
    return { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
  const proof = await ownProof({ ...parts, auth, issuer: key.issuer, resource: key.resource });
  return { ...proof, scope: scopeText(scopes), resource };
}

/** If the answer has no refresh token or no scopes, the old ones stay in force. */
function renewed(grant: Grant, answer: TokenAnswer, askedAt: number): Grant {
  const { expiresAt: _, ...rest } = grant;
  const { accessToken, refreshToken, expiresInMs, scopes } = answer;
  return {
    ...rest,
    accessToken,
    obtainedAt: askedAt,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scopes !== undefined && { scopes }),
    ...(expiresInMs !== undefined && { expiresAt: askedAt + expiresInMs }),
  };
}

/** Error codes of temporary failures (RFC 6749 §5.2, RFC 8628 §3.5, RFC 9449 §8). */
const TEMPORARY: ReadonlySet<unknown> = new Set([
  'server_error',
  'slow_down',
  'temporarily_unavailable',
  'use_dpop_nonce',
]);

/** Returns the OAuth error code of a final refusal; undefined if a later attempt may succeed. */
export function refusalIn(error: unknown): string | undefined {
  if (!PincerError.is(error)) return undefined;
  const { status, oauthError } = error.data ?? {};
  const isFinal = status === 400 || status === 401 || status === 403;
  return isFinal && typeof oauthError === 'string' && !TEMPORARY.has(oauthError) ? oauthError : undefined;
}
