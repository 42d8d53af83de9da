import { ask } from 'pincer/client';
import { renderNeeds } from '../render/needs.ts';
import { renderServerList } from '../render/server-list.ts';
import { never, type Subcommand } from '../subcommand.ts';

export const servers: Subcommand = {
  name: 'servers',
  usage: '',
  summary: 'all servers, and what needs you',
  flags: {},
  least: 0,
  most: 0,
  changes: never,
  async run(_given, { hub: open, notices, now }) {
    const hub = await open();
    const [status, clashes] = await Promise.all([ask(hub, 'GET status'), ask(hub, 'GET clashes')]);
    const needs = renderNeeds(status, clashes, notices());
    const list = status.servers.length === 0 ? NONE : renderServerList(status, now());
    return {
      lines: list,
      last: needs.length === 0 ? [] : ['', ...needs],
      more: (left) => `… ${left} more lines: openclaw pincer list`,
    };
  },
};

const NONE = [
  'There are no MCP servers yet.',
  'Add one by its address: /mcp connect https://example.com/mcp',
  'Add a program on this machine: openclaw pincer add NAME -- COMMAND ARGUMENTS',
];
