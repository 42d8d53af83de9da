/** `pincer __complete KIND WORD`. Whoever presses the tab key wants names or nothing: no error is shown. */
import { within } from '../../lib/time.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { completeNames } from './names.ts';

/** A hub that is busy is not worth waiting for. */
const PATIENCE_MS = 1_000;

export async function completeFromWords(words: readonly string[], context: Context): Promise<ExitCode> {
  const [kind = '', prefix = ''] = words;
  const names = await within(completeNames(kind, prefix, context), PATIENCE_MS).catch(() => undefined);
  process.stdout.write((names ?? []).map((name) => `${name}\n`).join(''));
  return EXIT.ok;
}
