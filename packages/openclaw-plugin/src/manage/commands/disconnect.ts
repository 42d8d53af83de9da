import { ask } from 'pincer/client';
import { always, findServer, settled, type Subcommand } from '../subcommand.ts';

export const disconnect: Subcommand = {
  name: 'disconnect',
  usage: '<name>',
  summary: 'end a connection; the configuration keeps the server',
  flags: {},
  least: 1,
  most: 1,
  changes: always,
  async run({ named: [wanted] }, context) {
    const hub = await context.hub();
    const { servers } = await ask(hub, 'GET status');
    const { name } = findServer(servers, wanted!);
    await ask(hub, 'POST disconnect', { body: { name } });
    return {
      lines: [
        `${name} is disconnected, and its tools are not available.`,
        `It stays in the configuration. To reconnect: /mcp refresh ${name}`,
        ...(await settled(context)),
      ],
    };
  },
};
