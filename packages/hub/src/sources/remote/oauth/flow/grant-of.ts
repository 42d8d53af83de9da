/** A grant, as it follows from what was asked and what was answered. Pure. */
import type { Discovered } from '../discovery/discover.ts';
import type { Client, Grant } from '../grant.ts';
import type { TokenAnswer } from '../token/token-answer.ts';

export interface GrantParts {
  readonly server: string;
  readonly caller: string;
  readonly discovered: Discovered;
  readonly client: Client;
  readonly scopes: readonly string[];
  readonly sendsResource: boolean;
  readonly dpop?: { readonly privateJwk: object } | undefined;
  readonly signInId: string;
  readonly now: number;
}

export function grantOf(parts: GrantParts, answer: TokenAnswer): Grant {
  const { server, caller, discovered, client, now, dpop } = parts;
  const { issuer, tokenEndpoint, revocationEndpoint } = discovered.authorizationServer;
  const { accessToken, refreshToken, expiresInMs, isDpop } = answer;
  return {
    key: { server, issuer, resource: discovered.resource, caller },
    client,
    signInId: parts.signInId,
    tokenEndpoint,
    ...(revocationEndpoint !== undefined && { revocationEndpoint }),
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    obtainedAt: now,
    ...(expiresInMs !== undefined && { expiresAt: now + expiresInMs }),
    scopes: answer.scopes ?? parts.scopes,
    ...(isDpop && dpop !== undefined && { dpop }),
    sendsResource: parts.sendsResource,
  };
}
