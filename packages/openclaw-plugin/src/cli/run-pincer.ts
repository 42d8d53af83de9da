/** Runs Pincer's command line as a child of this process, on the terminal that this one has. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { text } from 'node:stream/consumers';
import { PincerError } from 'pincer/client';
import type { Place } from '../hub/place.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs Pincer for its answer: the document that `--json` prints. Throws what Pincer says where it fails. */
export async function askPincer<T>(
  words: readonly string[],
  { entry, env }: Pick<Place, 'entry' | 'env'>,
): Promise<T> {
  const { OPENCLAW_CLI: _, ...own } = env;
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [entry, ...words, '--json'], { env: own, stdio: [...stdio] });
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const answer = JSON.parse(said) as T & { ok: boolean; error?: { message: string; hint?: string } };
  if (answer.ok) return answer;
  throw new PincerError('INTERNAL', answer.error?.message ?? 'Pincer gave no answer.', {
    hint: answer.error?.hint,
  });
}

/** Resolves to the exit code that Pincer ends with. */
export async function runPincer(
  words: readonly string[],
  { entry, env }: Pick<Place, 'entry' | 'env'>,
): Promise<number> {
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
