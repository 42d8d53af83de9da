import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programArgs } from '../program.ts';
import type { EverythingFlags } from './flags.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const READY_MS = 20_000;

export interface RunningEverything extends AsyncDisposable {
  url: string;
}

/** The command that starts the server on stdio. */
export const everythingCommand = (era: EverythingFlags['era']): { command: string; args: string[] } => ({
  command: process.execPath,
  args: programArgs(MAIN, '--transport', 'stdio', '--era', era),
});

/** Starts the server on a free loopback port and waits until it listens. */
export async function startEverything(era: EverythingFlags['era']): Promise<RunningEverything> {
  const child = spawn(process.execPath, programArgs(MAIN, '--transport', 'http', '--era', era), {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const gone = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await gone;
  };
  let written = '';
  const ready = new Promise<string>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      written += chunk;
      const url = /^listening (\S+)$/m.exec(written)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const timeout = AbortSignal.timeout(READY_MS);
  const url = await Promise.race([
    ready,
    gone.then(() => undefined),
    once(timeout, 'abort').then(() => undefined),
  ]);
  if (typeof url === 'string') return { url, [Symbol.asyncDispose]: end };
  await end();
  throw new Error(`the everything-server did not start listening: ${written}`);
}
