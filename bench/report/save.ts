import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BENCH_FOLDER, ROOT_FOLDER } from '../process/folders.ts';
import type { BenchResult } from './result.ts';

/** `results/<date>-<commit>.json`; further runs on the same day and commit get a number. */
export function saveResult(result: BenchResult): string {
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const name = `${result.date.slice(0, 10)}-${result.commit}`;
  let file = join(folder, `${name}.json`);
  for (let number = 2; existsSync(file); number += 1) file = join(folder, `${name}-${number}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return relative(ROOT_FOLDER, file);
}
