import type { Catalog, CatalogTool } from '../../core/catalog/catalog.ts';
import { PincerError } from '../../core/errors.ts';
import { acceptCommand } from '../../core/trust/accept-command.ts';
import type { Trust } from '../../core/trust/trust.ts';
import { visible } from '../../core/visible.ts';
import { parseBytes } from '../../core/wire/byte-text.ts';
import type { ControlActions } from './control.ts';
import { assertServer } from './known-server.ts';

export interface ToolParts {
  readonly catalog: Catalog;
  whenKnown(server: string | undefined): Promise<void> | undefined;
  /** Why a server cannot be used now. */
  problemOf(server: string): PincerError | undefined;
  readonly held: Trust['held'];
}

export function toolActions(parts: ToolParts): ControlActions {
  const { catalog } = parts;
  return {
    async 'GET tools'({ query }) {
      const server = query.get('server') ?? undefined;
      if (server !== undefined) assertServer(catalog, server);
      await parts.whenKnown(server);
      if (server !== undefined) assertHeard(server, parts);
      return catalog.list(server).map(describeTool);
    },
    async 'GET tool'({ query }) {
      const server = query.get('server') ?? '';
      const name = query.get('name') ?? '';
      assertServer(catalog, server);
      await parts.whenKnown(server);
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
  };
}

export const describeTool = (tool: CatalogTool): object => ({
  server: tool.server,
  name: tool.name,
  exposed: tool.exposed,
  definition: parseBytes(tool.definition.raw) as object,
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
