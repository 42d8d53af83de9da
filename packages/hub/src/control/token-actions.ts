/** Routes for named tokens. A token is shown once and stored only as a hash. */
import { randomBytes } from 'node:crypto';
import { type Caller, LOCAL_CALLER, type Scopes } from '../core/caller.ts';
import type { Credentials } from '../core/credentials.ts';
import { PincerError } from '../core/errors.ts';
import type { Clock, Store, StoredCredential } from '../core/ports.ts';
import { bindRoutes } from './bind-routes.ts';

export interface CredentialBook {
  add(name: string, scopes: Scopes): { name: string; token: string };
  /**
   * Returns a token with exactly these scopes. Keeps the given token if it is valid for them; otherwise creates a new one
   * and revokes the old one.
   */
  ensure(name: string, scopes: Scopes, token: string | undefined): { token: string; isNew: boolean };
  list(): { name: string; scopes: Scopes; createdAt: string }[];
  revoke(name: string): void;
  /** Returns the caller that the token of this name authenticates. */
  find(name: string): Caller | undefined;
}

export interface CredentialBookParts {
  readonly store: Pick<Store, 'loadCredentials' | 'saveCredential' | 'deleteCredential'>;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly digest: (text: string) => string;
}

/** Names under which the token files of the state folder appear in the log. */
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
      throw new PincerError('USAGE', `The name "${name}" is reserved for a token file of Pincer.`, {
        hint: 'Choose another name.',
      });
    if (known.has(name))
      throw new PincerError('USAGE', `A token "${name}" already exists.`, {
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
      // The caller id stays the same, so the caller keeps its sign-ins.
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
        throw new PincerError('USAGE', `There is no token "${name}".`, {
          hint: 'List the tokens: pincer token list',
        });
      remove(credential);
    },
    find(name) {
      const credential = known.get(name);
      return credential && toCaller(credential);
    },
  };
}

const toCaller = ({ id, name, scopes }: StoredCredential): Caller => ({ id, name, scopes });

export interface TokenParts {
  readonly book: CredentialBook;
  /** Called after a token was revoked. Ends everything that its caller started and deletes its data. */
  forgetCaller(caller: string): Promise<void>;
}

export const tokenActions = ({ book, forgetCaller }: TokenParts) =>
  bindRoutes({
    'GET tokens': () => book.list(),
    'POST tokens': ({ body: { name, ...scopes } }) => book.add(name, scopes),
    'POST tokens/ensure': ({ body: { name, token, ...scopes } }) => book.ensure(name, scopes, token),
    async 'DELETE tokens'({ query: { name } }) {
      const id = book.find(name)?.id;
      book.revoke(name);
      if (id !== undefined) await forgetCaller(id);
    },
  });
