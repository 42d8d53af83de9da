/** Another token for a grant, of the authorization server that gave the first. */
import { PincerError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import type { AuthSettings } from '../client/settings.ts';
import type { Grant } from '../grant.ts';
import { boundsOfGrant } from '../guard/bounds.ts';
import type { GuardedFetch } from '../guard/guarded-fetch.ts';
import { scopeText } from '../scope-text.ts';
import { readSigningKey } from '../token/signing-keys.ts';
import { isOwnFlow, ownProof } from '../token/own-proof.ts';
import { requestToken, type TokenAnswer, type TokenParams } from '../token/token-endpoint.ts';

/** Rejects with SIGN_IN_FAILED; whether for good, `isRefusal` tells. */
export type RenewGrant = (grant: Grant, settings: AuthSettings) => Promise<Grant>;

export interface RenewParts {
  readonly fetch: GuardedFetch;
  readonly clock: Pick<Clock, 'now'>;
}

/** Nobody has to be asked: there is a refresh token, or Pincer signs in for itself. */
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

/** RFC 6749 §6; RFC 8707 §2.2. Without a refresh token Pincer signs in once more, by itself. */
async function paramsOf(parts: RenewParts, grant: Grant, auth: AuthSettings): Promise<TokenParams> {
  const { refreshToken, scopes, sendsResource, key } = grant;
  const resource = sendsResource ? key.resource : undefined;
  if (refreshToken !== undefined)
    return { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
  const proof = await ownProof({ ...parts, auth, issuer: key.issuer, resource: key.resource });
  return { ...proof, scope: scopeText(scopes), resource };
}

/** Who answers without a new refresh token leaves the old one in force; scopes likewise. */
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

/** What an authorization server says that will be able to do it later (RFC 6749 §5.2, RFC 8628 §3.5, RFC 9449 §8). */
const PASSING: ReadonlySet<unknown> = new Set([
  'server_error',
  'slow_down',
  'temporarily_unavailable',
  'use_dpop_nonce',
]);

/** The word of its refusal, where it will say the same the next time; undefined: another time may do. */
export function isRefusal(error: unknown): string | undefined {
  if (!PincerError.is(error)) return undefined;
  const { status, oauthError } = error.data ?? {};
  const isFinal = status === 400 || status === 401 || status === 403;
  return isFinal && typeof oauthError === 'string' && !PASSING.has(oauthError) ? oauthError : undefined;
}
