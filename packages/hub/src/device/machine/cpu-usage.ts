/** How busy the processors are, by two looks at what they have done since the machine was started. */
import type { CpuInfo } from 'node:os';

interface Ticks {
  readonly busy: number;
  readonly all: number;
}

/** Over fewer, the work of measuring would be most of what is measured. */
const MIN_TICKS = 50;

export interface CpuUsage {
  /** Percent since the last look that told something; null: nothing has yet. */
  look(): number | null;
}

/** The first look is now. */
export function createCpuUsage(cpus: () => readonly CpuInfo[]): CpuUsage {
  let before = ticksOf(cpus());
  let known: number | null = null;
  return {
    look() {
      const now = ticksOf(cpus());
      const all = now.all - before.all;
      // Processors that come and go take their ticks with them.
      if (all < 0) before = now;
      if (all < MIN_TICKS) return known;
      known = percent((now.busy - before.busy) / all);
      before = now;
      return known;
    },
  };
}

function ticksOf(cpus: readonly CpuInfo[]): Ticks {
  let [busy, all] = [0, 0];
  for (const { times } of cpus) {
    const sum = times.user + times.nice + times.sys + times.idle + times.irq;
    all += sum;
    busy += sum - times.idle;
  }
  return { busy, all };
}

/** Of a share, with one decimal. */
export const percent = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 1_000) / 10;
