/** Preloaded into a program: on SIGUSR2 it collects garbage and writes the memory use to stderr. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Several rounds, because a buffer is only freed in the round after the object that held it. */
const ROUNDS = 4;
const PAUSE_MS = 30;

async function report(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc!({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await sleep(PAUSE_MS);
  }
  process.stderr.write(`${JSON.stringify(process.memoryUsage())}\n`);
}

process.on('SIGUSR2', () => void report());
