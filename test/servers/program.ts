import { join } from 'node:path';

const KEEP_COMPILED = join(import.meta.dirname, 'keep-compiled.mjs');

/** The words after `node` that start a program of ours: to compile it each time took most of the time of many tests. */
export const programArgs = (file: string, ...args: readonly string[]): string[] => [
  '--import',
  KEEP_COMPILED,
  file,
  ...args,
];
