import {
  ask,
  heldReason,
  inChatTerms,
  visible,
  type HeldTool,
  type HubClient,
  type ServerReport,
  type ToolReport,
} from 'pincer/client';
import type { OwnEntry } from '../../entries/entry.ts';
import { agentToolsOf, type AgentTool, type AgentTools } from '../agent-tools.ts';
import { cut, plural } from '../render.ts';
import { findServer, never, type Subcommand } from '../subcommand.ts';

export const tools: Subcommand = {
  name: 'tools',
  usage: '[server]',
  summary: 'the tools of agents, of all servers or of one',
  flags: {},
  least: 0,
  most: 1,
  changes: never,
  async run({ named: [wanted] }, { hub: open, entries }) {
    const hub = await open();
    const status = await ask(hub, 'GET status');
    const server = wanted === undefined ? undefined : findServer(status.servers, wanted).name;
    const list = await ask(hub, 'GET tools', { query: { server } });
    const isMeant = (name: string): boolean => (server ?? name) === name;
    const held = (status.held ?? []).filter((tool) => isMeant(tool.server));
    const own = entries();
    const shown = status.servers.filter(({ name, state }) => isMeant(name) && state !== 'disabled');
    const all = await Promise.all(
      shown.map(async ({ name, agents }) => ({
        server: name,
        agents,
        held: held.filter((tool) => tool.server === name),
        ...(await givenOf(hub, name, list, own)),
      })),
    );
    const known = all.filter(
      ({ tools: given, leftOut, held: waiting }) => given.length + leftOut.size + waiting.length > 0,
    );
    return {
      lines: [...renderToolList(known), ...serversWithoutTools(status.servers, { list, held, isMeant })],
      more: (left) =>
        server === undefined
          ? `… ${left} more lines. For one server: /mcp tools <server>`
          : `… ${left} more lines: openclaw pincer tools ${server}`,
    };
  },
};

/** Through a node, tools have their names of the hub. */
// oxlint-disable-next-line max-params -- one server, and the lists of all
async function givenOf(
  hub: HubClient,
  server: string,
  list: readonly ToolReport[],
  own: readonly OwnEntry[] | undefined,
): Promise<AgentTools> {
  const reports = list.filter((tool) => tool.server === server);
  if (own === undefined)
    return {
      tools: reports.map((report) => ({ name: report.exposed ?? report.name, report })),
      leftOut: new Map(),
    };
  const entry = own.find((each) => each.server === server);
  const offer = await ask(hub, 'GET offer', { query: { server } }).catch(() => undefined);
  return agentToolsOf(reports, entry, offer ?? {});
}

interface Seen {
  readonly list: readonly ToolReport[];
  readonly held: readonly HeldTool[];
  isMeant(server: string): boolean;
}

/** Servers without a tool, and why. */
function serversWithoutTools(servers: readonly ServerReport[], { list, held, isMeant }: Seen): string[] {
  const known = new Set([...list, ...held].map(({ server }) => server));
  return servers
    .filter(({ name }) => isMeant(name) && !known.has(name))
    .map(({ name, error, state }) => {
      if (error !== undefined) return `${name}: ${visible(inChatTerms(error.message))}`;
      return state === 'disabled' ? `${name} is disabled.` : `${name} offers no tools.`;
    });
}

const MAX_TEXT = 90;
const MAX_LEFT_OUT = 10;

/** The tools of one server that agents have, and those that are held. */
interface GivenTools extends AgentTools {
  readonly server: string;
  /** The agents that may use it; undefined for all. */
  readonly agents: readonly string[] | undefined;
  readonly held: readonly HeldTool[];
}

/** One line per tool, with the name that agents use, server by server. */
function renderToolList(servers: readonly GivenTools[]): string[] {
  const blocks = servers.map(({ server, agents, tools, leftOut, held }) => [
    `${server} (${plural(tools.length, 'tool')})${agents === undefined ? '' : `, for agents: ${visible(agents.join(', ')) || 'none'}`}`,
    ...tools.map(toolLine),
    ...[...leftOut].map(leftOutLine),
    ...heldLines(server, held),
  ]);
  return blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

function toolLine({ name, report }: AgentTool): string {
  if (report === undefined) return `  ${visible(name)}  added by OpenClaw`;
  const { definition } = report;
  const [first = ''] = textIn(definition.description).trim().split('\n', 1);
  const text = [cut(visible(first.trim()), MAX_TEXT), markOf(definition)].filter((part) => part !== '');
  return `  ${[visible(name), ...text].join('  ')}`;
}

function markOf({ annotations }: ToolReport['definition']): string {
  if (annotations?.['readOnlyHint'] === true) return '[read-only]';
  return annotations?.['destructiveHint'] === true ? '[destructive]' : '';
}

/** Definitions come from servers: an invalid one must not hide the other tools. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

function leftOutLine([reason, names]: [reason: string, names: readonly string[]]): string {
  const shown = names.slice(0, MAX_LEFT_OUT).map(visible).join(', ');
  const more = names.length > MAX_LEFT_OUT ? ` and ${names.length - MAX_LEFT_OUT} more` : '';
  return `  Not available to agents: ${shown}${more}: ${reason}`;
}

function heldLines(server: string, held: readonly HeldTool[]): string[] {
  if (held.length === 0) return [];
  const lines = held.map(({ tool, why }) => `  ${visible(tool)} is held: it ${heldReason(why)}`);
  return [...lines, `  Show held tools: /mcp accept ${server}`];
}
