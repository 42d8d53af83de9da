/** What sign-ins have given, for the servers that ask for it. */
import { createRenewGrant } from '../sources/remote/oauth/grants/renew-grant.ts';
import { signInHint } from '../sources/remote/oauth/grants/sign-in-hint.ts';
import { createTokens, type Tokens, type TokensParts } from '../sources/remote/oauth/grants/tokens.ts';
import { createGuardedFetch } from '../sources/remote/oauth/guard/guarded-fetch.ts';
import type { Limits } from '../core/limits.ts';

export interface HubTokensParts extends Pick<TokensParts, 'grants' | 'clock' | 'log' | 'onChange'> {
  readonly limits: Limits;
}

export const createHubTokens = ({ limits, ...parts }: HubTokensParts): Tokens =>
  createTokens({
    ...parts,
    renew: createRenewGrant({ fetch: createGuardedFetch({ limits }), clock: parts.clock }),
    hint: signInHint,
  });
