/** Tokens for the HTTP legs of all servers. */
import type { Caller } from '../../../core/caller.ts';
import type { Clock, Log } from '../../../core/ports.ts';
import type { AuthSettings } from '../client/settings.ts';
import { SHARED_CALLER, type Grant } from '../grant.ts';
import { hasEnded } from './due.ts';
import type { Grants } from './grant-store.ts';
import { isRenewable, type RenewGrant } from './renew-grant.ts';
import { createServerTokens, type ServerTokens } from './server-tokens.ts';

/** A server that is signed in to. */
export interface TokenServer {
  readonly name: string;
  readonly url: string;
  readonly auth?: AuthSettings | undefined;
}

/** Who signs in for themselves. */
export type TokenOwner = Pick<Caller, 'id' | 'name'>;

/** What one server needs of them. */
export interface TokensOfServer {
  /** On behalf of a caller; the same each time. Without one: for what is asked on behalf of all. */
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
  /** What to do for whoever has to sign in to a server; their name is there where everyone does so for themselves. */
  hint(server: string, name: string | undefined): string;
  /** Somebody has signed in or out, or something was renewed, in this process or another one. */
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

  const isOfUse = (grant: Grant, auth: AuthSettings): boolean =>
    grant.refused === undefined && (isRenewable(grant, auth) || !hasEnded(grant, parts.clock.now()));

  function create({ name, url, auth = {} }: TokenServer, caller: TokenOwner | undefined): ServerTokens {
    // Nobody watches for the sake of servers that nobody can sign in to.
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
          ? grants.findAny(name, url, held, (grant) => !refused.has(grant.signInId) && isOfUse(grant, auth))
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
