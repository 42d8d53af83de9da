/** A command line that is measured: cold, or with its process in the background already running. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './one-shot.ts';

export interface Contender {
  name: string;
  subject: string;
  temperature: 'base' | 'cold' | 'warm';
  /** Once, before the first call. */
  setUp(): Promise<void>;
  command(message: string): Command;
  /** After each call; ends what a cold one left in the background. */
  tearDown(): Promise<void>;
  /** How many servers have been started so far: for the proof that a warm call starts none. */
  serverStarts(): number;
}

export const START_LOG_NAME = 'server-starts.log';

export function countServerStarts(folder: string): number {
  try {
    return readFileSync(join(folder, START_LOG_NAME), 'utf8').trim().split('\n').length;
  } catch {
    return 0;
  }
}
