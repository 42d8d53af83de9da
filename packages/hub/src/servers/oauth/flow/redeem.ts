/** From a proof that somebody has agreed (a code, a device, Pincer's own key) to a grant. */
import { randomUUID } from 'node:crypto';
import { PincerError } from '../../../core/errors.ts';
import { newDpopKey, readSigningKey } from '../token/signing-keys.ts';
import {
  requestToken,
  type TokenAnswer,
  type TokenEndpointParts,
  type TokenParams,
} from '../token/token-endpoint.ts';
import type { Client, Grant } from '../grant.ts';
import type { FlowParts } from './flow.ts';
import type { Discovered } from '../discovery/discover.ts';

export interface Redeemer {
  readonly client: Client;
  readonly tokenParts: TokenEndpointParts;
  /** `resource` for a request, unless the person has it left out. */
  readonly resource: string | undefined;
  redeem(params: TokenParams): Promise<Grant>;
}

export function createRedeemer(parts: FlowParts, client: Client): Redeemer {
  const { fetch, clock, auth, discovered, server, caller, scopes } = parts;
  const { authorizationServer, bounds } = discovered;
  const dpop = auth.dpop === true ? { privateJwk: newDpopKey() } : undefined;
  const sendsResource = auth.resource !== 'omit';
  const resource = sendsResource ? discovered.resource : undefined;
  const tokenParts: TokenEndpointParts = {
    fetch,
    bounds,
    clock,
    authorizationServer,
    client,
    key: auth.privateKey === undefined ? undefined : readSigningKey(auth.privateKey),
    dpop,
  };
  return {
    client,
    tokenParts,
    resource,
    async redeem(params) {
      const answer = await requestToken(tokenParts, { ...params, resource });
      if (dpop !== undefined && !answer.isDpop) throw notBound();
      const given = { server, caller, discovered, client, scopes, sendsResource, dpop };
      const grant = grantOf({ ...given, signInId: randomUUID(), now: clock.now() }, answer);
      await parts.save(grant);
      return grant;
    },
  };
}

/** Whoever wants tokens that are worth nothing to a thief does not take others (RFC 9449 §5). */
const notBound = (): PincerError =>
  new PincerError('SIGN_IN_FAILED', 'The authorization server gave a token that is not bound to a key.', {
    hint: 'It may not know DPoP: then auth.dpop cannot be used with it.',
  });

interface GrantParts {
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

/** A grant, as it follows from what was asked and what was answered. Pure. */
function grantOf(parts: GrantParts, answer: TokenAnswer): Grant {
  const { server, caller, discovered, client, now, dpop } = parts;
  const { issuer, token_endpoint, revocation_endpoint } = discovered.authorizationServer;
  const { accessToken, refreshToken, expiresInMs, isDpop } = answer;
  return {
    key: { server, issuer, resource: discovered.resource, caller },
    client,
    signInId: parts.signInId,
    tokenEndpoint: token_endpoint,
    ...(revocation_endpoint !== undefined && { revocationEndpoint: revocation_endpoint }),
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    obtainedAt: now,
    ...(expiresInMs !== undefined && { expiresAt: now + expiresInMs }),
    scopes: answer.scopes ?? parts.scopes,
    ...(isDpop && dpop !== undefined && { dpop }),
    sendsResource: parts.sendsResource,
  };
}
