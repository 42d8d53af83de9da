import { setTimeout as sleep } from 'node:timers/promises';
import type { Operator } from './operator.ts';

const TRIES = 40;
const PAUSE_MS = 500;

/** After a change of `mcp.servers` the host loads its plugins anew, and runs no command of theirs for a moment. */
const isMoment = (error: unknown): boolean => String(error).includes('retired registry generation');

/** What a command of a plugin answers. It did not run where it is typed again. */
export async function sayCommand(operator: Operator, sessionKey: string, text: string): Promise<string> {
  for (let left = TRIES; ; left--) {
    try {
      return await operator.chat(sessionKey, text);
    } catch (error) {
      if (left === 0 || !isMoment(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
