/**
 * What a node declares to its gateway: commands of this machine, and tools of other sources within OpenClaw's limits.
 */
import { AGENT_SOURCE } from '../../core/caller.ts';
import type { CatalogTool } from '../../core/catalog/catalog.ts';
import { parseBytes } from '../../core/wire/byte-text.ts';
import { isRecord } from '../../lib/record.ts';
import type { CapabilityRegistry } from '../registry/registry.ts';
import type { PublishedTool, Declared } from './parts.ts';

/** The command that calls a tool of another source. OpenClaw allows it after a person has approved the node. */
export const CALL_COMMAND = 'mcp.tools.call.v1';
/** OpenClaw's name for servers behind nodes. Tools must be published under it. */
const PLUGIN_ID = 'node-mcp';
/** OpenClaw silently drops the rest of a longer list. */
export const MAX_PUBLISHED = 128;
const MAX_DESCRIPTION = 1_024;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

interface Selection {
  readonly tools: readonly PublishedTool[];
  /** Requested tools that agents do not get, and why. */
  readonly left: readonly string[];
}

interface SelectParts {
  readonly wanted: readonly string[];
  readonly catalog: readonly CatalogTool[];
  /** Why an anonymous caller cannot use a server's tools. Undefined if it can. */
  withheld?(server: string): string | undefined;
}

/** `wanted`: servers, and tools as `server.tool`. */
export const isWanted = (wanted: readonly string[], server: string, tool: string): boolean =>
  // An agent of OpenClaw that calls OpenClaw would loop.
  server !== AGENT_SOURCE && (wanted.includes(server) || wanted.includes(`${server}.${tool}`));

export function selectPublished({ wanted, catalog, withheld = () => undefined }: SelectParts): Selection {
  const asked = catalog.filter(({ server, name }) => isWanted(wanted, server, name));
  const reasons = new Set(asked.flatMap(({ server }) => withheld(server) ?? []));
  const open = asked.filter(({ server }) => withheld(server) === undefined);
  const named = open.filter(({ exposed }) => NAME.test(exposed));
  const odd = open.length - named.length;
  const rest = named.length - MAX_PUBLISHED;
  return {
    tools: named.slice(0, MAX_PUBLISHED).map(describe),
    left: [
      ...(wanted.includes(AGENT_SOURCE) ? ['OpenClaw is not offered to its own agents.'] : []),
      ...reasons,
      ...(odd > 0 ? [`${odd} tools have names that OpenClaw does not accept from a node.`] : []),
      ...(rest > 0 ? [`${rest} tools are left out: a node may publish at most ${MAX_PUBLISHED}.`] : []),
    ],
  };
}

/** One invalid definition of a server must not affect the tools of others. */
function describe({ server, name, exposed, definition }: CatalogTool): PublishedTool {
  const value = parseBytes(definition.raw);
  const { description, inputSchema } = isRecord(value) ? value : {};
  const about = typeof description === 'string' ? description.trim() : '';
  return {
    server,
    tool: name,
    name: exposed,
    description: (about || `${name} of ${server}.`).slice(0, MAX_DESCRIPTION),
    parameters: isRecord(inputSchema) ? inputSchema : { type: 'object' },
  };
}

/** A tool in the form of `node.pluginTools.update`, which rejects other members. */
export const descriptorOf = ({ server, tool, name, description, parameters }: PublishedTool): object => ({
  pluginId: PLUGIN_ID,
  name,
  description,
  parameters,
  command: CALL_COMMAND,
  mcp: { server, tool },
});

export async function declaredCommands(
  registry: Pick<CapabilityRegistry, 'list' | 'readiness'>,
): Promise<Declared> {
  const readiness = await registry.readiness();
  const missing = new Set(
    readiness.flatMap(({ states }) =>
      states.flatMap(({ available, commands }) => (available ? [] : commands)),
    ),
  );
  const declared = registry
    .list()
    .filter(({ name, capability }) => capability.only !== 'mcp' && !missing.has(name));
  return {
    caps: [...new Set(declared.map(({ capability }) => capability.category))],
    commands: declared.map(({ name }) => name),
  };
}
