import { join } from 'node:path';

const KEEP_COMPILED = join(import.meta.dirname, 'keep-compiled.mjs');

/**
 * The arguments after `node` that start one of our programs, with a compile cache, because compiling took most of the
 * time of many tests.
 */
export const programArgs = (file: string, ...args: readonly string[]): string[] => [
  '--import',
  KEEP_COMPILED,
  file,
  ...args,
];
