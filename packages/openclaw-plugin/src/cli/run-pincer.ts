/** Runs Pincer's command line as a child of this process, on the terminal that this one has. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Place } from '../hub/place.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves to the exit code that Pincer ends with. */
export async function runPincer(words: readonly string[], { entry, env }: Place): Promise<number> {
  // A mark of OpenClaw's own process: what it runs for a person is not run by a model.
  const { OPENCLAW_CLI: _, ...own } = env;
  const child = spawn(process.execPath, [entry, ...words], { env: own, stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, forward);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    for (const signal of SIGNALS) process.off(signal, forward);
  }
}
