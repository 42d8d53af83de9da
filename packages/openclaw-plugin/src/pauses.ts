/** Pauses between attempts, each twice as long as the one before. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Pauses {
  /** How long the next one takes. */
  readonly nextMs: number;
  /** Keeps no process running. */
  wait(): Promise<void>;
  /** An attempt has worked. */
  reset(): void;
}

const FIRST_MS = 1_000;
const MAX_MS = 60_000;

export function createPauses(): Pauses {
  let nextMs = FIRST_MS;
  return {
    get nextMs() {
      return nextMs;
    },
    async wait() {
      const ms = nextMs;
      nextMs = Math.min(2 * nextMs, MAX_MS);
      await sleep(ms, undefined, { ref: false });
    },
    reset() {
      nextMs = FIRST_MS;
    },
  };
}
