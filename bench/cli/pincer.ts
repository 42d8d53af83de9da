import { join } from 'node:path';
import { stdioUpstream } from '../measure/upstream.ts';
import { temporaryFolder } from '../process/folders.ts';
import { endProcesses, rememberFinder, startProcess } from '../process/running.ts';
import { PINCER_PROGRAM, runningHub, waitForHub, writePincerConfig } from '../subjects/pincer-home.ts';
import { type Contender, countServerStarts, START_LOG_NAME } from './contender.ts';

const START_TIMEOUT_MS = 30_000;

/** Cold: `call` finds no hub and starts one in the background. Warm: `up` runs. */
export function createPincerCall(temperature: 'cold' | 'warm'): Contender {
  const folder = temporaryFolder(`pincer-${temperature}`);
  const env = { PINCER_HOME: folder };
  const hubPids = (): number[] => {
    const hub = runningHub(folder);
    return hub === undefined ? [] : [hub.pid];
  };
  return {
    name: `pincer call, ${temperature}`,
    subject: 'pincer',
    temperature,
    async setUp() {
      writePincerConfig(folder, stdioUpstream('--start-log', join(folder, START_LOG_NAME)));
      rememberFinder(hubPids);
      if (temperature === 'cold') return;
      const args = [PINCER_PROGRAM, 'up', '--port', '0'];
      await startProcess({ command: process.execPath, args, env, folder });
      await waitForHub(folder, START_TIMEOUT_MS);
    },
    command: (message) => ({
      args: [PINCER_PROGRAM, 'call', 'bench.echo', `message=${message}`],
      folder,
      env,
    }),
    async tearDown() {
      if (temperature === 'cold') await endProcesses(hubPids());
    },
    serverStarts: () => countServerStarts(folder),
  };
}
