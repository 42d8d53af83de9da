import { join } from 'node:path';
import { stdioUpstream } from '../measure/upstream.ts';
import { temporaryFolder } from '../process/folders.ts';
import { endProcesses, rememberFinder } from '../process/running.ts';
import { installedProgram } from '../subjects/installed.ts';
import { daemonPids, writeMcporterConfig } from '../subjects/mcporter-daemon.ts';
import type { Contender } from './contender.ts';
import { countServerStarts, START_LOG_NAME } from './contender.ts';
import { runOnce } from './one-shot.ts';

const WAYS = {
  /** mcporter's default: the call itself starts and ends the server. */
  direct: { name: 'mcporter call, cold', temperature: 'cold', lifecycle: 'ephemeral' },
  /** No daemon runs; the call starts one in the background. */
  'daemon-cold': {
    name: 'mcporter call, cold, starts its daemon',
    temperature: 'cold',
    lifecycle: 'keep-alive',
  },
  'daemon-warm': { name: 'mcporter call, warm, by its daemon', temperature: 'warm', lifecycle: 'keep-alive' },
} as const;

export function createMcporterCall(way: keyof typeof WAYS): Contender {
  const { name, temperature, lifecycle } = WAYS[way];
  const folder = temporaryFolder(`mcporter-${way}`);
  const upstream = stdioUpstream('--start-log', join(folder, START_LOG_NAME));
  const { config, env } = writeMcporterConfig(folder, upstream, lifecycle);
  const program = [installedProgram('mcporter'), '--config', config];
  return {
    name,
    subject: 'mcporter',
    temperature,
    async setUp() {
      rememberFinder(() => daemonPids(folder));
      if (temperature === 'warm') await runOnce({ args: [...program, 'daemon', 'start'], folder, env });
    },
    command: (message) => ({
      args: [...program, 'call', 'bench.echo', `message=${message}`],
      folder,
      env,
    }),
    async tearDown() {
      if (temperature === 'cold') await endProcesses(daemonPids(folder));
    },
    serverStarts: () => countServerStarts(folder),
  };
}
