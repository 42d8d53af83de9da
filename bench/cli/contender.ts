/** A measured command line: cold, or with its background process already running. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './one-shot.ts';

export interface Contender {
  name: string;
  subject: string;
  temperature: 'base' | 'cold' | 'warm';
  /** Runs once, before the first call. */
  setUp(): Promise<void>;
  command(message: string): Command;
  /** Runs after each call. Ends the background process of a cold call. */
  tearDown(): Promise<void>;
  /** Number of servers started so far, to prove that a warm call starts none. */
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
