/** Runs Pincer's command line as a child process on the same terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { text } from 'node:stream/consumers';
import { PincerError } from 'pincer/client';
import type { Place } from '../hub/place.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs Pincer with `--json` and returns its answer. Throws Pincer's error if it fails. */
export async function askPincer<T>(
  words: readonly string[],
  { entry, env }: Pick<Place, 'entry' | 'env'>,
): Promise<T> {
  const { OPENCLAW_CLI: _, ...own } = env;
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [entry, ...words, '--json'], { env: own, stdio: [...stdio] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const answer = JSON.parse(output) as T & { ok: boolean; error?: { message: string; hint?: string } };
  if (answer.ok) return answer;
  throw new PincerError('INTERNAL', answer.error?.message ?? 'Pincer did not answer.', {
    hint: answer.error?.hint,
  });
}

/** Resolves to the exit code of Pincer. */
export async function runPincer(
  words: readonly string[],
  { entry, env }: Pick<Place, 'entry' | 'env'>,
): Promise<number> {
  // This variable marks OpenClaw's own process. A command that a person typed must not count as run by a model.
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
