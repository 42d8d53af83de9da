/** Runs the load in a process of its own, so that it does not share the CPU time of what it measures. */
import { join } from 'node:path';
import { benchFolder } from '../process/folders.ts';
import { runNode } from '../process/run-to-end.ts';
import type { LoadResult, LoadSpec } from './spec.ts';

const program = join(benchFolder, 'load', 'main.ts');
const openingMs = 180_000;

export async function runLoad(spec: LoadSpec): Promise<LoadResult> {
  const timeoutMs = openingMs + spec.warmUpMs + spec.measureMs;
  // Not as an argument: it holds the token, and arguments are public.
  const output = await runNode([program], { input: JSON.stringify(spec), timeoutMs });
  return JSON.parse(output) as LoadResult;
}
