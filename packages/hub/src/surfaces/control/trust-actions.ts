import { z } from 'zod';
import { diffDefinitions } from '../../core/trust/definition-diff.ts';
import type { Trust } from '../../core/trust/trust.ts';
import type { ControlActions } from './control.ts';
import { assertServer } from './known-server.ts';
import { readAs } from './read-body.ts';

export interface TrustParts {
  readonly catalog: { has(server: string): boolean };
  readonly held: Trust['held'];
  /** Accepts what is offered, and shows it from then on. */
  readonly accept: Trust['accept'];
}

const acceptBody = z.strictObject({
  server: z.string(),
  tool: z.string().optional(),
  /** Digests of what the person has seen: what has changed since then is not accepted. */
  seen: z.array(z.string()),
});

export const trustActions = ({ catalog, held, accept }: TrustParts): ControlActions => ({
  'GET held'({ query }) {
    const server = query.get('server') ?? undefined;
    if (server !== undefined) assertServer(catalog, server);
    return held(server).map(({ accepted, offered, ...tool }) => ({
      ...tool,
      changes: diffDefinitions(accepted, offered),
    }));
  },
  'POST accept'({ body }) {
    const { server, tool, seen } = readAs(acceptBody, body);
    assertServer(catalog, server);
    return { accepted: accept(server, tool, new Set(seen)) };
  },
});
