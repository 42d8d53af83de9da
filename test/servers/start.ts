import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { toArgs, type ServerFlags } from './flags.ts';
import { programArgs } from './program.ts';

const SERVER = fileURLToPath(new URL('./server.ts', import.meta.url));
const READY_MS = 20_000;
const GRACE_MS = 1_000;

export interface RunningServer extends AsyncDisposable {
  url: string;
  pid: number;
  /** What the server has written to stderr so far. */
  stderr(): string;
  /** SIGTERM, then SIGKILL; resolves when the process has exited. May be called again. */
  stop(): Promise<void>;
}

type HttpFlags = Partial<Omit<ServerFlags, 'transport'>> & {
  transport?: 'http' | 'sse';
  env?: Record<string, string>;
};

/** The command that starts a fixture server on stdio. */
export function stdioCommand(flags: Partial<Omit<ServerFlags, 'transport' | 'port'>> = {}): {
  command: string;
  args: string[];
} {
  return { command: process.execPath, args: programArgs(SERVER, '--transport', 'stdio', ...toArgs(flags)) };
}

/** Starts a fixture server on a free loopback port and waits until it listens. */
export async function startHttpServer({ env, ...more }: HttpFlags = {}): Promise<RunningServer> {
  const flags = { transport: 'http', ...more } as const;
  const child = spawn(process.execPath, programArgs(SERVER, ...toArgs(flags)), {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  let written = '';
  const stop = () => end(child);
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not listening: ${written}`)), READY_MS);
    child.once('exit', (code) => reject(new Error(`ended with ${code} before listening: ${written}`)));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      written += chunk;
      const ready = /^listening (\S+)$/m.exec(written)?.[1];
      if (ready === undefined) return;
      clearTimeout(timer);
      resolve(ready);
    });
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, pid: child.pid ?? -1, stderr: () => written, stop, [Symbol.asyncDispose]: stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await gone;
  clearTimeout(timer);
}
