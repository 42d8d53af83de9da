/** Shared by all kinds of sign-in: the flow in progress, and the token request that ends it. */
import { randomUUID } from 'node:crypto';
import { PincerError } from '../../../core/errors.ts';
import type { Limits } from '../../../core/limits.ts';
import type { Clock } from '../../../core/ports.ts';
import type { AuthSettings } from '../client/settings.ts';
import type { Discovered } from '../discovery/discover.ts';
import type { Client, Grant } from '../grant.ts';
import type { GuardedFetch } from '../guard/guarded-fetch.ts';
import { newDpopKey, readSigningKey } from '../token/signing-keys.ts';
import {
  requestToken,
  type TokenAnswer,
  type TokenEndpointParts,
  type TokenParams,
} from '../token/token-endpoint.ts';

export type SignInOutcome =
  | { readonly ok: true; readonly grant: Grant }
  | { readonly ok: false; readonly error: PincerError };

export interface Flow {
  /** The link to open; absent if no person takes part. */
  readonly link?: string;
  /** The code to type there, if the link does not carry it. */
  readonly userCode?: string;
  /** Identifies the flow: 128 random bits. */
  readonly state: string;
  readonly scopes: readonly string[];
  readonly ended: Promise<SignInOutcome>;
  /** Takes a code, or the whole address that the browser was sent to. */
  complete(codeOrAddress: string): Promise<Grant>;
  cancel(reason: PincerError): void;
}

export interface FlowParts {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'signInMs'>;
  readonly server: string;
  readonly caller: string;
  readonly auth: AuthSettings;
  readonly discovered: Discovered;
  readonly scopes: readonly string[];
  readonly clientMetadataUrl?: string | undefined;
  /** The client of an earlier sign-in at the same issuer. */
  readonly known?: Client | undefined;
  save(grant: Grant): Promise<void>;
}

/** Exchanges a proof (a code, a device code, Pincer's own key) for a grant. */
export interface Redeemer {
  readonly client: Client;
  readonly tokenParts: TokenEndpointParts;
  /** The resource indicator; undefined if the configuration leaves it out. */
  readonly resource: string | undefined;
  redeem(params: TokenParams): Promise<Grant>;
}

export function createRedeemer(parts: FlowParts, client: Client): Redeemer {
  const { fetch, clock, auth, discovered } = parts;
  const { authorizationServer, bounds } = discovered;
  const dpop = auth.dpop === true ? { privateJwk: newDpopKey() } : undefined;
  const resource = auth.resource === 'omit' ? undefined : discovered.resource;
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
      const grant = grantOf(parts, { client, dpop, answer });
      await parts.save(grant);
      return grant;
    },
  };
}

/** RFC 9449 §5: a token that is not bound to the key would work for a thief, too. */
const notBound = (): PincerError =>
  new PincerError('SIGN_IN_FAILED', 'The authorization server issued a token that is not bound to a key.', {
    hint: 'It may not support DPoP. If so, remove auth.dpop.',
  });

interface Redeemed {
  readonly client: Client;
  readonly dpop: Grant['dpop'];
  readonly answer: TokenAnswer;
}

function grantOf(parts: FlowParts, { client, dpop, answer }: Redeemed): Grant {
  const { server, caller, discovered } = parts;
  const { issuer, token_endpoint, revocation_endpoint } = discovered.authorizationServer;
  const { accessToken, refreshToken, expiresInMs, isDpop } = answer;
  const now = parts.clock.now();
  return {
    key: { server, issuer, resource: discovered.resource, caller },
    client,
    signInId: randomUUID(),
    tokenEndpoint: token_endpoint,
    ...(revocation_endpoint !== undefined && { revocationEndpoint: revocation_endpoint }),
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    obtainedAt: now,
    ...(expiresInMs !== undefined && { expiresAt: now + expiresInMs }),
    scopes: answer.scopes ?? parts.scopes,
    ...(isDpop && dpop !== undefined && { dpop }),
    sendsResource: parts.auth.resource !== 'omit',
  };
}

export const tooLate = (server: string): PincerError =>
  new PincerError('SIGN_IN_FAILED', `The sign-in to "${server}" was not completed in time.`, {
    hint: `Start again: \`pincer login ${server}\`.`,
  });
