/** Runs a command once and measures the wall time from spawn to exit. */
import { runNode } from '../process/run-to-end.ts';
import { cleanEnv } from '../process/running.ts';

export interface Command {
  args: string[];
  folder: string;
  env?: Record<string, string>;
}

export interface OneShot {
  ms: number;
  stdout: string;
}

const TIMEOUT_MS = 60_000;

export async function runOnce({ args, folder, env }: Command): Promise<OneShot> {
  const startedAt = performance.now();
  const stdout = await runNode(args, { cwd: folder, env: cleanEnv(folder, env), timeoutMs: TIMEOUT_MS });
  return { ms: performance.now() - startedAt, stdout };
}
