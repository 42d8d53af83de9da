/** The name of a conversation that nobody has named: nobody guesses it, and nobody goes on with it. */
import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 16;

export const freshKey = (nowMs: number): string =>
  `mcp-${nowMs}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
