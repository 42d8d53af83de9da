import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../process/ports.ts';
import { installedProgram, installedVersion } from './installed.ts';
import type { Subject } from './subject.ts';

/** Its endpoint speaks HTTP+SSE of 2024-11-05, not Streamable HTTP. */
export const mcpHub: Subject = {
  name: 'mcp-hub',
  kind: 'peer',
  version: () => installedVersion('mcp-hub'),
  cannot: {},
  async prepare(upstream, folder) {
    const port = await freePort();
    const { kind: _kind, ...bench } = upstream;
    const config = join(folder, 'servers.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { bench } }));
    return {
      command: process.execPath,
      args: [installedProgram('mcp-hub'), '--port', String(port), '--config', config],
      target: async () => ({
        variant: 'sse',
        url: `http://127.0.0.1:${port}/mcp`,
        tool: 'bench__echo',
        headers: {},
      }),
    };
  },
};
