import { freePort } from '../process/ports.ts';
import { installedProgram, installedVersion } from './installed.ts';
import type { Subject } from './subject.ts';

/** Stateful: one child process per session. Its log of every message is off, in its favour. */
export const supergateway: Subject = {
  name: 'supergateway',
  kind: 'peer',
  version: () => installedVersion('supergateway'),
  cannot: { http: 'puts HTTP only in front of stdio servers; it offers HTTP servers over stdio' },
  async prepare(upstream) {
    if (upstream.kind !== 'stdio') throw new Error('supergateway: stdio only');
    const port = await freePort();
    // A shell line. `exec` avoids an extra shell per server, and quotes at both ends, which yargs would strip.
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
