/** The tokens of all HTTP servers. */
import type { Caller } from '../../../core/caller.ts';
import type { Limits } from '../../../core/limits.ts';
import type { Clock, Log } from '../../../core/ports.ts';
import type { AuthSettings } from '../client/settings.ts';
import { SHARED_CALLER, type Grant } from '../grant.ts';
import { createGuardedFetch } from '../guard/guarded-fetch.ts';
import type { Grants } from './grant-store.ts';
import { createRenewGrant, hasExpired, isRenewable, type RenewGrant } from './renew-grant.ts';
import { createServerTokens, type ServerTokens } from './server-tokens.ts';

/** A server that people can sign in to. */
export interface TokenServer {
  readonly name: string;
  readonly url: string;
  readonly auth?: AuthSettings | undefined;
}

/** A caller who signs in for themselves. */
export type TokenOwner = Pick<Caller, 'id' | 'name'>;

export interface TokensOfServer {
  /** Returns the same object for the same caller. Without a caller: for requests on behalf of all. */
  of(caller?: TokenOwner): ServerTokens;
}

export interface Tokens {
  ofServer(server: TokenServer): TokensOfServer;
  close(): void;
}

export interface TokensParts {
  readonly grants: Grants;
  readonly renew: RenewGrant;
  readonly clock: Clock;
  readonly log: Log;
  /** The next step for a person who has to sign in. `name` is the caller's, if every caller signs in. */
  hint(server: string, name: string | undefined): string;
  /** Called after a sign-in, a sign-out or a renewal, in this process or another one. */
  onChange(): void;
}

export function createTokens(parts: TokensParts): Tokens {
  const { grants, onChange, hint, ...rest } = parts;
  const all = new Set<WeakRef<ServerTokens>>();
  let unwatch: (() => void) | undefined;

  function lookAgain(): void {
    for (const each of all) {
      const tokens = each.deref();
      if (tokens === undefined) all.delete(each);
      else tokens.lookAgain();
    }
    onChange();
  }

  const isUsable = (grant: Grant, auth: AuthSettings): boolean =>
    grant.refused === undefined && (isRenewable(grant, auth) || !hasExpired(grant, parts.clock.now()));

  function create({ name, url, auth = {} }: TokenServer, caller: TokenOwner | undefined): ServerTokens {
    // Without a server that people can sign in to, nothing is watched.
    unwatch ??= grants.onChange(lookAgain);
    const isPerCaller = auth.identity === 'per-caller';
    const owner = isPerCaller ? caller?.id : SHARED_CALLER;
    const tokens = createServerTokens({
      ...rest,
      server: name,
      grants,
      settings: auth,
      has: () => grants.has(name, owner),
      find: (refused, held) =>
        owner === undefined
          ? grants.findAny(name, url, held, (grant) => !refused.has(grant.signInId) && isUsable(grant, auth))
          : grants.find(name, owner, url),
      hint: () => hint(name, caller?.name),
    });
    all.add(new WeakRef(tokens));
    return tokens;
  }

  return {
    ofServer(server) {
      const byCaller = new Map<string | undefined, ServerTokens>();
      return {
        of(caller) {
          const owner = server.auth?.identity === 'per-caller' ? caller : undefined;
          let tokens = byCaller.get(owner?.id);
          if (tokens === undefined) byCaller.set(owner?.id, (tokens = create(server, owner)));
          return tokens;
        },
      };
    },
    close: () => unwatch?.(),
  };
}

export interface HubTokensParts extends Pick<TokensParts, 'grants' | 'clock' | 'log' | 'onChange'> {
  readonly limits: Limits;
}

export const createHubTokens = ({ limits, ...parts }: HubTokensParts): Tokens =>
  createTokens({
    ...parts,
    renew: createRenewGrant({ fetch: createGuardedFetch({ limits }), clock: parts.clock }),
    hint: signInHint,
  });

const signInHint = (server: string, name: string | undefined): string =>
  name === undefined
    ? `Run \`pincer login ${server}\`, or /mcp auth ${server} in OpenClaw.`
    : `Each caller signs in separately: run \`pincer login ${server} --caller ${name}\`, or /mcp auth ${server} in OpenClaw.`;
