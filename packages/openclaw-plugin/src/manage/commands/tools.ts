import {
  ask,
  visible,
  type HeldTool,
  type HubStatus,
  type ServerReport,
  type ToolReport,
} from 'pincer/client';
import { findServer } from '../find-server.ts';
import { renderToolList } from '../render/tool-list.ts';
import { inChatTerms } from '../render/chat-terms.ts';
import { never, type Subcommand } from '../subcommand.ts';

export const tools: Subcommand = {
  name: 'tools',
  usage: '[server]',
  summary: 'the tools of all servers, or of one',
  flags: {},
  least: 0,
  most: 1,
  changes: never,
  async run({ named: [wanted] }, { hub: open }) {
    const hub = await open();
    const status = await ask<HubStatus>(hub, 'GET status');
    const server = wanted === undefined ? undefined : findServer(status.servers, wanted).name;
    const list = await ask<ToolReport[]>(hub, 'GET tools', server === undefined ? {} : { query: { server } });
    const isMeant = (name: string): boolean => (server ?? name) === name;
    const held = (status.held ?? []).filter((tool) => isMeant(tool.server));
    return {
      lines: [...renderToolList(list, held), ...silent(status.servers, { list, held, isMeant })],
      more: (left) =>
        server === undefined
          ? `… ${left} more lines. One server alone: /mcp tools <server>`
          : `… ${left} more lines: openclaw pincer tools ${server}`,
    };
  },
};

interface Seen {
  readonly list: readonly ToolReport[];
  readonly held: readonly HeldTool[];
  isMeant(server: string): boolean;
}

/** Servers without a tool, and why. */
function silent(servers: readonly ServerReport[], { list, held, isMeant }: Seen): string[] {
  const heard = new Set([...list, ...held].map(({ server }) => server));
  return servers
    .filter(({ name }) => isMeant(name) && !heard.has(name))
    .map(({ name, error, state }) => {
      if (error !== undefined) return `${name}: ${visible(inChatTerms(error.message))}`;
      return state === 'disabled' ? `${name} is switched off.` : `${name} offers no tools.`;
    });
}
