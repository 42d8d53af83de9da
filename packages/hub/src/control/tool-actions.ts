import type { Catalog, CatalogTool } from '../core/catalog/catalog.ts';
import { PincerError } from '../core/errors.ts';
import { acceptCommand } from '../core/trust/accept-command.ts';
import type { Trust } from '../core/trust/trust.ts';
import { visible } from '../core/visible.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import { bindRoutes } from './bind-routes.ts';
import type { ToolDefinition, ToolReport } from './contract/servers.ts';
import { assertServer, type KnownServers } from './known-server.ts';

export interface ToolParts extends KnownServers {
  readonly catalog: Catalog;
  /** `waitMs`: how long at most; absent: as long as a list waits. */
  whenKnown(server: string | undefined, waitMs?: number): Promise<void> | undefined;
  readonly held: Trust['held'];
}

export function toolActions(parts: ToolParts) {
  const { catalog } = parts;
  return bindRoutes({
    async 'GET tools'({ query: { server } }) {
      if (server !== undefined) assertServer(parts, server);
      await parts.whenKnown(server);
      if (server !== undefined) assertHeard(server, parts);
      return catalog.list(server).map(describeTool);
    },
    async 'GET tool'({ query: { server, name, wait = 0 } }) {
      assertServer(parts, server);
      await parts.whenKnown(server, wait > 0 ? wait : undefined);
      assertHeard(server, parts);
      const tool = catalog.resolve(server, name);
      if (tool === undefined && parts.held(server).some((held) => held.tool === name))
        throw withdrawn(server, name);
      if (tool === undefined)
        throw new PincerError('TOOL_UNKNOWN', `Server "${server}" has no tool "${name}".`, {
          hint: `Run \`pincer tools ${server}\`.`,
          data: { known: catalog.list(server).map((known) => known.name) },
        });
      return describeTool(tool);
    },
  });
}

export const describeTool = (tool: CatalogTool): ToolReport => ({
  server: tool.server,
  name: tool.name,
  exposed: tool.exposed,
  definition: parseBytes(tool.definition.raw) as ToolDefinition,
});

const withdrawn = (server: string, tool: string): PincerError =>
  new PincerError('TOOL_WITHDRAWN', `${visible(`${server}.${tool}`)} is held until you accept it.`, {
    hint: `See what it is: ${acceptCommand(server, tool)}`,
    data: { outcome: 'not_executed' },
  });

/** A server that was never heard has no tools to show; that is not the same as having none. */
function assertHeard(server: string, { catalog, problemOf }: ToolParts): void {
  const problem = catalog.isKnown(server) ? undefined : problemOf(server);
  if (problem === undefined) return;
  const { code, message, hint } = problem;
  throw new PincerError(code === 'SIGN_IN_NEEDED' ? code : 'SERVER_UNREACHABLE', message, {
    hint,
    cause: problem,
  });
}
