/** Ends processes by id, and makes sure that each is still the same process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessSample, readProcess, readTree } from './proc.ts';

const POLITE_MS = 6000;
const FIRM_MS = 1000;

function living(samples: readonly ProcessSample[]): ProcessSample[] {
  return samples.filter(({ pid, startTicks }) => readProcess(pid)?.startTicks === startTicks);
}

function signal(samples: readonly ProcessSample[], name: NodeJS.Signals): void {
  for (const { pid } of living(samples)) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended in between.
    }
  }
}

async function waitForEnd(samples: readonly ProcessSample[], timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (living(samples).length > 0) {
    if (Date.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

/** Asks the roots to end and clean up. What is left of their trees is then ended one by one. */
export async function endTrees(roots: readonly number[]): Promise<void> {
  const tree = readTree(roots);
  signal(
    tree.filter(({ pid }) => roots.includes(pid)),
    'SIGTERM',
  );
  if (await waitForEnd(tree, POLITE_MS)) return;
  signal(tree, 'SIGTERM');
  if (await waitForEnd(tree, FIRM_MS)) return;
  signal(tree, 'SIGKILL');
  await waitForEnd(tree, FIRM_MS);
}

/** For the exit handler of this process, where nothing can be awaited. */
export function killTrees(roots: readonly number[]): void {
  signal(readTree(roots), 'SIGKILL');
}
