/** `pincer proxy`: the app proxy alone, until it is stopped. */
import { defineCommand, parsePort } from '../command.ts';

export const command = defineCommand({
  usage: '[--host ADDRESS] [--port N]',
  description:
    'Runs the proxy for tools that live inside apps, without servers and agent, until Ctrl+C. `pincer up` runs it too.',
  options: {
    '--host <address>': 'address to listen on; without it 127.0.0.1',
    '--port <n>': { help: 'port to listen on; 0 takes a free one', parse: parsePort },
  },
  async run({ flags: { host, port } }, context) {
    const { runHub } = await import('../hub/run-hub.ts');
    const proxy = { host, port, folder: process.cwd(), isAlone: true };
    return runHub({ device: false, proxy }, context);
  },
});
