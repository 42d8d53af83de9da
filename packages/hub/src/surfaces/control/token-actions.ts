import { z } from 'zod';
import type { ControlActions } from './control.ts';
import type { CredentialBook } from './credential-book.ts';
import { readAs } from './read-body.ts';

export interface TokenParts {
  readonly book: CredentialBook;
  /** A token is void: nothing of whoever came with it goes on, and nothing is kept for them. */
  forgetCaller(caller: string): Promise<void>;
}

const addBody = z.strictObject({
  name: z.string().min(1).max(64),
  servers: z.array(z.string()).optional(),
  tools: z.array(z.string()).optional(),
  readOnly: z.boolean().optional(),
  approve: z.boolean().optional(),
  openClaw: z.boolean().optional(),
});

const ensureBody = addBody.extend({ token: z.string().optional() });

export const tokenActions = ({ book, forgetCaller }: TokenParts): ControlActions => ({
  'GET tokens': () => book.list(),
  'POST tokens'({ body }) {
    const { name, ...scopes } = readAs(addBody, body);
    return book.add(name, scopes);
  },
  'POST tokens/ensure'({ body }) {
    const { name, token, ...scopes } = readAs(ensureBody, body);
    return book.ensure(name, scopes, token);
  },
  async 'DELETE tokens'({ query }) {
    const name = query.get('name') ?? '';
    const id = book.find(name)?.id;
    book.revoke(name);
    if (id !== undefined) await forgetCaller(id);
  },
});
