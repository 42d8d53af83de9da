/** The `openclaw` command in a profile. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { OPENCLAW } from '../../openclaw/install.ts';
import type { Profile } from './profile.ts';

export interface Ran {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  env?: Record<string, string>;
  /** Timeout for a hang. */
  timeoutMs?: number;
}

export async function openclaw(
  { env, workspace }: Profile,
  args: readonly string[],
  { env: more, timeoutMs = 180_000 }: RunOptions = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [OPENCLAW, ...args], {
    cwd: workspace,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const [[exitCode], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode, stdout, stderr };
}

/** Returns the output, or throws with all of it if the command failed. */
export async function openclawOk(
  profile: Profile,
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const { exitCode, stdout, stderr } = await openclaw(profile, args, options);
  if (exitCode === 0) return stdout;
  throw new Error(`openclaw ${args.join(' ')} ended with ${exitCode}:\n${stdout}${stderr}`);
}
