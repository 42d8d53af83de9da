/** `pincer proxy`: runs only the app proxy. */
import { defineCommand, parsePort } from '../command.ts';

export const command = defineCommand({
  usage: '[--host ADDRESS] [--port N]',
  description:
    'Runs only the app proxy, for tools inside apps, until you press Ctrl+C: no servers and no agent. `pincer up` includes the app proxy.',
  options: {
    '--host <address>': 'address to listen on; default: 127.0.0.1',
    '--port <n>': { help: 'port to listen on; 0 picks a free one', parse: parsePort },
  },
  async run({ flags: { host, port } }, context) {
    const { runHub } = await import('../hub/run-hub.ts');
    const proxy = { host, port, folder: process.cwd(), isAlone: true };
    return runHub({ device: false, proxy }, context);
  },
});
