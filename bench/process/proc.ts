/** Process data from Linux: CPU ticks, memory, parents. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessSample {
  pid: number;
  parent: number;
  /** User and system time of this process alone, without its reaped children. */
  cpuMicros: number;
  rssBytes: number;
  /** Ticks since boot. Identifies a process together with the pid, because pids are reused. */
  startTicks: number;
}

function systemValue(name: string): number {
  return Number(execFileSync('getconf', [name], { encoding: 'utf8' }));
}

const MICROS_PER_TICK = 1e6 / systemValue('CLK_TCK');
const PAGE_BYTES = systemValue('PAGESIZE');

/** Returns undefined if the process is gone or a zombie. */
export function readProcess(pid: number): ProcessSample | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the name in brackets and may hold anything; proc(5) numbers the fields from 1.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return {
    pid,
    parent: field(4),
    cpuMicros: (field(14) + field(15)) * MICROS_PER_TICK,
    rssBytes: field(24) * PAGE_BYTES,
    startTicks: field(22),
  };
}

export function readProcesses(pids: readonly number[]): ProcessSample[] {
  return pids.map(readProcess).filter((sample) => sample !== undefined);
}

/** The given processes and all their descendants. */
export function readTree(roots: readonly number[]): ProcessSample[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const all = readProcesses(pids.map(Number));
  const inside = new Set(roots);
  let grew = true;
  while (grew) {
    grew = false;
    for (const { pid, parent } of all) {
      if (inside.has(pid) || !inside.has(parent)) continue;
      inside.add(pid);
      grew = true;
    }
  }
  return all.filter(({ pid }) => inside.has(pid));
}
