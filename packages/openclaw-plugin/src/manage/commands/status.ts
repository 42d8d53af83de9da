import { ask } from 'pincer/client';
import { findServer } from '../find-server.ts';
import { renderServerStatus } from '../render/server-status.ts';
import { never, type Subcommand } from '../subcommand.ts';

export const status: Subcommand = {
  name: 'status',
  usage: '<name>',
  summary: 'one server in detail',
  flags: {},
  least: 1,
  most: 1,
  changes: never,
  async run({ named: [name] }, { hub, now }) {
    const { servers, held = [] } = await ask(await hub(), 'GET status');
    const server = findServer(servers, name!);
    const waiting = held.filter((tool) => tool.server === server.name).length;
    return {
      lines: renderServerStatus(server, { held: waiting, now: now() }),
      more: (left) => `… ${left} more lines: openclaw pincer status ${server.name} --stderr`,
    };
  },
};
