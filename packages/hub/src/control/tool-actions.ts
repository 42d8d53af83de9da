/** Routes about tools of servers and held tools. */
import type { Catalog, CatalogTool } from '../core/catalog/catalog.ts';
import { PincerError } from '../core/errors.ts';
import { acceptCommand } from '../core/trust/accept-command.ts';
import { diffDefinitions } from '../core/trust/definition-diff.ts';
import type { Trust } from '../core/trust/trust.ts';
import { visible } from '../core/visible.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import { bindRoutes } from './bind-routes.ts';
import type { ToolDefinition, ToolReport } from './contract/servers.ts';

export interface KnownServers {
  readonly catalog: { has(server: string): boolean };
  /** Returns why a server cannot be used now. */
  problemOf(server: string): PincerError | undefined;
}

/** Throws if there is no such server, or if its settings are invalid. */
export function assertServer({ catalog, problemOf }: KnownServers, server: string): void {
  if (catalog.has(server)) return;
  throw (
    problemOf(server) ??
    new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured.`, {
      hint: 'List the servers: pincer list',
    })
  );
}

export interface ToolParts extends KnownServers {
  readonly catalog: Catalog;
  /** `waitMs`: default is the time that a list waits. */
  whenKnown(server: string | undefined, waitMs?: number): Promise<void> | undefined;
  readonly held: Trust['held'];
}

export function toolActions(parts: ToolParts) {
  const { catalog } = parts;
  return bindRoutes({
    async 'GET tools'({ query: { server } }) {
      if (server !== undefined) assertServer(parts, server);
      await parts.whenKnown(server);
      if (server !== undefined) assertListed(server, parts);
      return catalog.list(server).map(describeTool);
    },
    async 'GET tool'({ query: { server, name, wait = 0 } }) {
      assertServer(parts, server);
      await parts.whenKnown(server, wait > 0 ? wait : undefined);
      assertListed(server, parts);
      const tool = catalog.resolve(server, name);
      if (tool === undefined && parts.held(server).some((held) => held.tool === name))
        throw withdrawn(server, name);
      if (tool === undefined)
        throw new PincerError('TOOL_UNKNOWN', `Server "${server}" has no tool "${name}".`, {
          hint: `List its tools: pincer tools ${server}`,
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
    hint: `Review and accept it: ${acceptCommand(server, tool)}`,
    data: { outcome: 'not_executed' },
  });

/** Throws if the server has never listed its tools and has a problem. */
function assertListed(server: string, { catalog, problemOf }: ToolParts): void {
  const problem = catalog.isKnown(server) ? undefined : problemOf(server);
  if (problem === undefined) return;
  const { code, message, hint } = problem;
  throw new PincerError(code === 'SIGN_IN_NEEDED' ? code : 'SERVER_UNREACHABLE', message, {
    hint,
    cause: problem,
  });
}

export interface TrustParts extends KnownServers {
  readonly held: Trust['held'];
  /** Accepts the offered definitions. They are listed from then on. */
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
