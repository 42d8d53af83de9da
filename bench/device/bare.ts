/** The baselines: the screenshot backend alone, and a bare start of a program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { forget, remember } from '../process/running.ts';

export interface BareScreen {
  /** Milliseconds for one screenshot, measured in the child. */
  snapshot(): Promise<number>;
  close(): void;
}

export function openBareScreen(display: string): BareScreen {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-screen.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], DISPLAY: display },
    // Resolves the hub's own dependency, which is measured.
    cwd: join(import.meta.dirname, '../../packages/hub'),
  });
  remember(child.pid);
  const lines = createInterface({ input: child.stdout });
  return {
    async snapshot() {
      const answer = once(lines, 'line');
      child.stdin.write('\n');
      const [line] = (await answer) as [string];
      return (JSON.parse(line) as { ms: number }).ms;
    },
    close() {
      child.stdin.end();
      forget(child.pid);
    },
  };
}

/** Milliseconds from the start to the end of a program that does nothing. */
export async function bareSpawn(): Promise<number> {
  const began = performance.now();
  const child = spawn('/usr/bin/true', { stdio: 'pipe', env: { PATH: '/usr/bin:/bin' } });
  await once(child, 'close');
  return performance.now() - began;
}
