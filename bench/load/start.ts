/** Runs the load in a separate process, so that it does not share the CPU time of the measured process. */
import { join } from 'node:path';
import { BENCH_FOLDER } from '../process/folders.ts';
import { runNode } from '../process/run-to-end.ts';
import type { LoadResult, LoadSpec } from './spec.ts';

const PROGRAM = join(BENCH_FOLDER, 'load', 'main.ts');
const OPENING_MS = 180_000;

export async function runLoad(spec: LoadSpec): Promise<LoadResult> {
  const timeoutMs = OPENING_MS + spec.warmUpMs + spec.measureMs;
  // Not as an argument: it holds the token, and other processes can read arguments.
  const output = await runNode([PROGRAM], { input: JSON.stringify(spec), timeoutMs });
  return JSON.parse(output) as LoadResult;
}
