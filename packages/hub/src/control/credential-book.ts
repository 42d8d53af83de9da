/** Named credentials: made, listed, revoked. The token itself is shown once and kept nowhere. */
import { randomBytes } from 'node:crypto';
import { LOCAL_CALLER, type Caller, type Scopes } from '../core/caller.ts';
import type { Credentials } from '../core/credentials.ts';
import { PincerError } from '../core/errors.ts';
import type { Clock, Store, StoredCredential } from '../core/ports.ts';

export interface CredentialBook {
  add(name: string, scopes: Scopes): { name: string; token: string };
  /**
   * A credential of exactly these scopes. The token is kept where it is the one that the credential has; otherwise there is
   * a new one, and an older one is void.
   */
  ensure(name: string, scopes: Scopes, token: string | undefined): { token: string; isNew: boolean };
  list(): { name: string; scopes: Scopes; createdAt: string }[];
  revoke(name: string): void;
  /** Whoever comes with the token of this name. */
  find(name: string): Caller | undefined;
}

export interface CredentialBookParts {
  readonly store: Pick<Store, 'loadCredentials' | 'saveCredential' | 'deleteCredential'>;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly digest: (text: string) => string;
}

/** Names under which the tokens of the state folder appear in the log. */
const FILE_TOKENS: ReadonlySet<string> = new Set([LOCAL_CALLER, 'admin']);

export function openCredentialBook({
  store,
  credentials,
  clock,
  digest,
}: CredentialBookParts): CredentialBook {
  const known = new Map<string, StoredCredential>();
  const enter = (credential: StoredCredential): void => {
    known.set(credential.name, credential);
    credentials.set(credential.tokenHash, toCaller(credential));
  };
  for (const credential of store.loadCredentials()) enter(credential);

  function remove(credential: StoredCredential): void {
    store.deleteCredential(credential.id);
    credentials.revoke(credential.tokenHash);
    known.delete(credential.name);
  }

  function add(
    name: string,
    scopes: Scopes,
    id: string = crypto.randomUUID(),
  ): { name: string; token: string } {
    if (FILE_TOKENS.has(name))
      throw new PincerError('USAGE', `"${name}" is the name of a token file.`, {
        hint: 'Choose another name.',
      });
    if (known.has(name))
      throw new PincerError('USAGE', `A token "${name}" exists already.`, {
        hint: `Revoke it first: pincer token revoke ${name}`,
      });
    const token = randomBytes(32).toString('base64url');
    const credential = {
      id,
      name,
      tokenHash: digest(token),
      scopes,
      createdAt: clock.now(),
    };
    store.saveCredential(credential);
    enter(credential);
    return { name, token };
  }

  return {
    add: (name, scopes) => add(name, scopes),
    ensure(name, scopes, token) {
      const held = known.get(name);
      const isSame = held !== undefined && JSON.stringify(held.scopes) === JSON.stringify(scopes);
      if (isSame && token !== undefined && digest(token) === held.tokenHash) return { token, isNew: false };
      if (held !== undefined) remove(held);
      // Whoever it is for is the same: what they signed in to stays theirs.
      return { token: add(name, scopes, held?.id).token, isNew: true };
    },
    list: () =>
      [...known.values()].map(({ name, scopes, createdAt }) => ({
        name,
        scopes,
        createdAt: new Date(createdAt).toISOString(),
      })),
    revoke(name) {
      const credential = known.get(name);
      if (credential === undefined)
        throw new PincerError('USAGE', `There is no token "${name}".`, { hint: 'Run `pincer token list`.' });
      remove(credential);
    },
    find(name) {
      const credential = known.get(name);
      return credential && toCaller(credential);
    },
  };
}

const toCaller = ({ id, name, scopes }: StoredCredential): Caller => ({ id, name, scopes });
