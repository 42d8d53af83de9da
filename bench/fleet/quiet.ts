/** Waits for a quiet moment on a machine that others use too. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 400;
/** Gives up after this time. Then the figures show the load, and the load average explains it. */
const LONGEST_WAIT_MS = 30_000;
const QUIET_SHARE = 0.9;
/** Consecutive quiet checks: the last run may still be ending. */
const QUIET_LOOKS = 2;

interface Ticks {
  idle: number;
  all: number;
}

/** proc(5): user, nice, system, idle, iowait, … since boot, of all processors together. */
function readTicks(): Ticks {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const fields = line.split(/\s+/).slice(1).map(Number);
  return {
    idle: (fields[3] ?? 0) + (fields[4] ?? 0),
    all: fields.reduce((sum, ticks) => sum + ticks, 0),
  };
}

export async function whenQuiet<T>(measure: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  let quiet = 0;
  while (quiet < QUIET_LOOKS && performance.now() < deadline) {
    const before = readTicks();
    await sleep(LOOK_MS);
    const after = readTicks();
    const idle = (after.idle - before.idle) / (after.all - before.all);
    quiet = idle >= QUIET_SHARE ? quiet + 1 : 0;
  }
  return measure();
}
