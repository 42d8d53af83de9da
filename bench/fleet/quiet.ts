/** On a machine that others use too, waits for a moment in which they do little. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 400;
/** Who never rests is not waited for: then the figures show it, and the load average beside them says why. */
const LONGEST_WAIT_MS = 30_000;
const QUIET_SHARE = 0.9;
/** So often in a row: what the last run left may still be ending. */
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
