/** The hub's tools as a node publishes them, within what OpenClaw takes of one. */
import type { ServerReport, ToolReport } from 'pincer/client';
import { CALL_COMMAND } from './handshake.ts';

export interface Descriptor {
  readonly pluginId: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
  readonly command: string;
  readonly mcp: { readonly server: string; readonly tool: string };
}

export interface Published {
  readonly tools: readonly Descriptor[];
  /** What agents do not get, and why. */
  readonly left: readonly string[];
}

/** OpenClaw would drop the rest of a longer list without a word to the agent. */
export const MAX_TOOLS = 128;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const MAX_DESCRIPTION = 1_024;
/** What OpenClaw calls servers behind nodes. */
const PLUGIN_ID = 'node-mcp';

export function describeTools(servers: readonly ServerReport[], tools: readonly ToolReport[]): Published {
  const withheld = new Map(servers.flatMap(({ name, ...report }) => reasonOf(name, report) ?? []));
  const offered = tools.filter(({ server }) => !withheld.has(server));
  const named = offered.filter(({ exposed }) => exposed !== undefined && NAME.test(exposed));
  const odd = offered.length - named.length;
  const rest = named.length - MAX_TOOLS;
  return {
    tools: named.slice(0, MAX_TOOLS).map(describe),
    left: [
      ...withheld.values(),
      ...(odd > 0 ? [`${odd} tools have names that OpenClaw does not take from a node.`] : []),
      ...(rest > 0 ? [`${rest} tools are left out: a node may have ${MAX_TOOLS}.`] : []),
    ],
  };
}

/** A call that comes by way of a node does not say whose it is. */
function reasonOf(
  name: string,
  { agents, auth }: Pick<ServerReport, 'agents' | 'auth'>,
): [string, string][] | undefined {
  if (agents !== undefined)
    return [[name, `"${name}" is for some agents alone, and a node cannot tell them apart.`]];
  if (auth?.isPerCaller !== true) return undefined;
  return [[name, `Everybody signs in to "${name}" for themselves, and a node cannot tell who calls.`]];
}

const describe = ({ server, name, exposed, definition }: ToolReport): Descriptor => ({
  pluginId: PLUGIN_ID,
  name: exposed!,
  description: (textIn(definition.description) || `${name} of ${server}.`).slice(0, MAX_DESCRIPTION),
  parameters: isObject(definition.inputSchema) ? definition.inputSchema : { type: 'object' },
  command: CALL_COMMAND,
  mcp: { server, tool: name },
});

/** Definitions are as servers wrote them: one that is wrong must not keep the tools of the others away. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
