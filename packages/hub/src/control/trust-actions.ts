import { diffDefinitions } from '../core/trust/definition-diff.ts';
import type { Trust } from '../core/trust/trust.ts';
import { bindRoutes } from './bind-routes.ts';
import { assertServer, type KnownServers } from './known-server.ts';

export interface TrustParts extends KnownServers {
  readonly held: Trust['held'];
  /** Accepts what is offered, and shows it from then on. */
  readonly accept: Trust['accept'];
}

export const trustActions = ({ held, accept, ...known }: TrustParts) =>
  bindRoutes({
    'GET held'({ query: { server } }) {
      if (server !== undefined) assertServer(known, server);
      return held(server).map(({ accepted, offered, ...tool }) => ({
        ...tool,
        changes: diffDefinitions(accepted, offered),
      }));
    },
    'POST accept'({ body: { server, tool, seen } }) {
      assertServer(known, server);
      return { accepted: accept(server, tool, new Set(seen)) };
    },
  });
