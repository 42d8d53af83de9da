import { ask, type HubStatus } from 'pincer/client';
import { findServer } from '../find-server.ts';
import { always, type Subcommand } from '../subcommand.ts';

export const disconnect: Subcommand = {
  name: 'disconnect',
  usage: '<name>',
  summary: 'end a connection; the configuration keeps the server',
  flags: {},
  least: 1,
  most: 1,
  changes: always,
  async run({ named: [wanted] }, { hub: open }) {
    const hub = await open();
    const { servers } = await ask<HubStatus>(hub, 'GET status');
    const { name } = findServer(servers, wanted!);
    await hub.control('POST disconnect', { body: { name } });
    return {
      lines: [
        `${name} is disconnected: its tools are gone until you bring it back.`,
        `It stays in the configuration. Bring it back: /mcp refresh ${name}`,
      ],
    };
  },
};
