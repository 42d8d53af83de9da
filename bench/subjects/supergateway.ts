import { freePort } from '../process/ports.ts';
import { installedProgram, installedVersion } from './installed.ts';
import type { Subject } from './subject.ts';

/** Stateful: one child process per session. Its log of every message is off, in its favour. */
export const supergateway: Subject = {
  name: 'supergateway',
  kind: 'peer',
  version: () => installedVersion('supergateway'),
  cannot: { http: 'puts HTTP in front of stdio servers only; an HTTP server it offers over stdio' },
  async prepare(upstream) {
    if (upstream.kind !== 'stdio') throw new Error('supergateway: stdio only');
    const port = await freePort();
    // A line for the shell; `exec` leaves no shell beside each server, nor a quote at both ends for yargs to strip.
    const behind = ['exec', ...[upstream.command, ...upstream.args].map((word) => `'${word}'`)].join(' ');
    return {
      command: process.execPath,
      args: [
        installedProgram('supergateway'),
        `--stdio=${behind}`,
        '--outputTransport=streamableHttp',
        '--stateful',
        `--port=${port}`,
        '--logLevel=none',
      ],
      target: async () => ({
        variant: 'streamable',
        url: `http://127.0.0.1:${port}/mcp`,
        tool: 'echo',
        headers: {},
      }),
    };
  },
};
