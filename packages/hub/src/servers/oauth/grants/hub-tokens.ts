/** What sign-ins have given, for the servers that ask for it. */
import { createRenewGrant } from './renew-grant.ts';
import { createTokens, type Tokens, type TokensParts } from './tokens.ts';
import { createGuardedFetch } from '../guard/guarded-fetch.ts';
import type { Limits } from '../../../core/limits.ts';

export interface HubTokensParts extends Pick<TokensParts, 'grants' | 'clock' | 'log' | 'onChange'> {
  readonly limits: Limits;
}

export const createHubTokens = ({ limits, ...parts }: HubTokensParts): Tokens =>
  createTokens({
    ...parts,
    renew: createRenewGrant({ fetch: createGuardedFetch({ limits }), clock: parts.clock }),
    hint: signInHint,
  });

/**
 * What to do for whoever has to sign in to a server. Pure. `name` of whoever has to is there where everyone signs
 * in for themselves.
 */
const signInHint = (server: string, name: string | undefined): string =>
  name === undefined
    ? `Run \`pincer login ${server}\`, or /mcp auth ${server} in OpenClaw.`
    : `Everyone signs in to it for themselves: run \`pincer login ${server} --caller ${name}\`, or /mcp auth ${server} in OpenClaw.`;
