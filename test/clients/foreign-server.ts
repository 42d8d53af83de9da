/** A server of others that listens on a port: a process that says when it is ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../kit/processes.ts';
import type { Program } from '../kit/stdio.ts';

export interface ForeignServer extends AsyncDisposable {
  pid: number;
  /** All that it has printed so far. */
  printed(): string;
}

const READY_MS = 30_000;
const GRACE_MS = 5_000;

export async function startForeignServer(
  { command, args, env }: Program,
  { cwd, ready }: { cwd: string; ready: string },
): Promise<ForeignServer> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  const server: ForeignServer = {
    pid: child.pid ?? -1,
    printed: () => printed,
    async [Symbol.asyncDispose]() {
      const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
      clearTimeout(timer);
    },
  };
  const isReady = await eventually(() => printed.includes(ready) || child.exitCode !== null, READY_MS);
  if (isReady && child.exitCode === null) return server;
  await server[Symbol.asyncDispose]();
  throw new Error(`${args.join(' ')} did not come up: ${printed}`);
}
