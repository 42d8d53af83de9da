import { freePort } from '../process/ports.ts';
import { installedProgram, installedVersion } from './installed.ts';
import type { Subject } from './subject.ts';

export const mcpProxy: Subject = {
  name: 'mcp-proxy',
  kind: 'peer',
  version: () => installedVersion('mcp-proxy'),
  cannot: { http: 'runs only a command; it accepts no server address' },
  async prepare(upstream) {
    if (upstream.kind !== 'stdio') throw new Error('mcp-proxy: stdio only');
    const port = await freePort();
    return {
      command: process.execPath,
      args: [
        installedProgram('mcp-proxy'),
        '--host=127.0.0.1',
        `--port=${port}`,
        '--',
        upstream.command,
        ...upstream.args,
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
