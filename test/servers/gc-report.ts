/** Loaded before a program: on SIGUSR2 it collects garbage, and writes to stderr what memory is in use then. */
import { setTimeout as sleep } from 'node:timers/promises';

/** What one round lets go of is found by the next: buffers that only a collected object had. */
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
