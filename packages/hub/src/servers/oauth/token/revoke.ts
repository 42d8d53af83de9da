/** Tells an authorization server that a grant is not needed any more (RFC 7009). */
import type { Grant } from '../grant.ts';
import { postForm, type TokenRequestParts } from './token-request.ts';

/** False: it has no such endpoint, or did not take it; the grant may go on there until it ends by itself. */
export async function revoke(parts: TokenRequestParts, grant: Grant): Promise<boolean> {
  const { revocationEndpoint, refreshToken, accessToken } = grant;
  if (revocationEndpoint === undefined) return false;
  // The refresh token first: what it has given ends with it (RFC 7009 §2.1).
  const tokens = [
    ...(refreshToken === undefined ? [] : [{ token: refreshToken, token_type_hint: 'refresh_token' }]),
    { token: accessToken, token_type_hint: 'access_token' },
  ];
  const taken: boolean[] = [];
  for (const params of tokens) {
    const form = { endpoint: revocationEndpoint, what: 'The revocation endpoint', params };
    taken.push(
      await postForm(parts, form).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  }
  return taken[0]!;
}
