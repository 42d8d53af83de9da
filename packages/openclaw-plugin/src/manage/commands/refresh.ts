import { ask, PincerError } from 'pincer/client';
import { findServer } from '../find-server.ts';
import { refreshServers } from '../refresh-servers.ts';
import { renderRefreshed } from '../render/probes.ts';
import { settled } from '../settle.ts';
import { always, type Subcommand } from '../subcommand.ts';

export const refresh: Subcommand = {
  name: 'refresh',
  usage: '[name]',
  summary: 'connect again, ask for the tools anew, and repair what agents get',
  flags: {},
  least: 0,
  most: 1,
  changes: always,
  async run({ named: [wanted] }, context) {
    const hub = await context.hub();
    const { servers } = await ask(hub, 'GET status');
    const names =
      wanted === undefined
        ? servers.filter(({ state }) => state !== 'disabled').map(({ name }) => name)
        : [findServer(servers, wanted).name];
    if (names.length === 0)
      throw new PincerError('SERVER_UNKNOWN', 'There is no server to ask.', {
        hint: '/mcp connect <url> adds one.',
      });
    const refreshed = renderRefreshed(await refreshServers(hub, names));
    return { lines: [...refreshed, ...(await settled(context, true))] };
  },
};
