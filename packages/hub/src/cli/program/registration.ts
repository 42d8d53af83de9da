import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';

export interface Registration {
  readonly context: Context;
  /** What follows `--`; undefined when there is none. */
  readonly foreign: readonly string[] | undefined;
  /** Told how the command went. */
  readonly end: (code: ExitCode) => void;
}

/** For options that may be given several times. */
export const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];
