import { ask, PincerError, type HubStatus } from 'pincer/client';
import { findServer } from '../find-server.ts';
import { refreshServers } from '../refresh-servers.ts';
import { renderRefreshed } from '../render/probes.ts';
import { always, type Subcommand } from '../subcommand.ts';

export const refresh: Subcommand = {
  name: 'refresh',
  usage: '[name]',
  summary: 'connect again, and ask for the tools anew',
  flags: {},
  least: 0,
  most: 1,
  changes: always,
  async run({ named: [wanted] }, { hub: open }) {
    const hub = await open();
    const { servers } = await ask<HubStatus>(hub, 'GET status');
    const names =
      wanted === undefined
        ? servers.filter(({ state }) => state !== 'disabled').map(({ name }) => name)
        : [findServer(servers, wanted).name];
    if (names.length === 0)
      throw new PincerError('SERVER_UNKNOWN', 'There is no server to ask.', {
        hint: '/mcp connect <url> adds one.',
      });
    return { lines: renderRefreshed(await refreshServers(hub, names)) };
  },
};
