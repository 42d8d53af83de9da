import { freePort } from '../process/ports.ts';
import { installedProgram, installedVersion } from './installed.ts';
import { daemonPids, writeMcporterConfig } from './mcporter-daemon.ts';
import type { Subject } from './subject.ts';

/** Two processes: the HTTP front and the daemon that holds the servers. Both count. */
export const mcporter: Subject = {
  name: 'mcporter',
  kind: 'peer',
  version: () => installedVersion('mcporter'),
  cannot: {},
  async prepare(upstream, folder) {
    const port = await freePort();
    const { config, env } = writeMcporterConfig(folder, upstream, 'keep-alive');
    return {
      command: process.execPath,
      args: [installedProgram('mcporter'), '--config', config, 'serve', '--http', String(port)],
      env,
      target: async () => ({
        variant: 'streamable',
        url: `http://127.0.0.1:${port}/mcp`,
        tool: 'bench__echo',
        headers: {},
      }),
      companions: () => daemonPids(folder),
    };
  },
};
