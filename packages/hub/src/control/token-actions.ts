import { bindRoutes } from './bind-routes.ts';
import type { CredentialBook } from './credential-book.ts';

export interface TokenParts {
  readonly book: CredentialBook;
  /** A token is void: nothing of whoever came with it goes on, and nothing is kept for them. */
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
