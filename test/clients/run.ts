import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** A generous bound for a hang. */
const RUN_MS = 150_000;

/** Runs a program without stdin and gives what it printed; throws with all of it when the program fails. */
export async function run(
  command: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<string> {
  // A group of its own: most clients are a small launcher with the real program below it.
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), RUN_MS);
  try {
    const [[code, signal], stdout, stderr] = await Promise.all([
      once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
      text(child.stdout),
      text(child.stderr),
    ]);
    if (code === 0) return stdout;
    throw new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}:\n${stdout}${stderr}`);
  } finally {
    clearTimeout(timer);
  }
}
