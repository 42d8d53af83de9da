/** What the operating system reports about a process. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface Facts {
  pid: number;
  state: string;
  ppid: number;
  start: string;
}

function factsOf(pid: number): Facts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, state: fields[0]!, ppid: Number(fields[1]), start: fields[19]! };
  } catch {
    return undefined;
  }
}

/** A zombie is not alive; only its parent has not reaped it yet. */
export function isAlive(pid: number): boolean {
  const facts = factsOf(pid);
  return facts !== undefined && facts.state !== 'Z';
}

/** The start time of a process. Together with the pid it identifies the process even after the pid is reused. */
export const startOf = (pid: number): string | undefined => factsOf(pid)?.start;

/** All descendants of a process, each with its start time. */
export function descendants(root: number): { pid: number; start: string }[] {
  const all = readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (factsOf(Number(name)) ?? []) : [],
  );
  const found: Facts[] = [];
  let parents = new Set([root]);
  while (parents.size > 0) {
    const next = all.filter(({ ppid }) => parents.has(ppid));
    found.push(...next);
    parents = new Set(next.map(({ pid }) => pid));
  }
  return found.filter(({ state }) => state !== 'Z');
}

/** Whether a process still runs, and its pid was not reused. */
export const isSame = ({ pid, start }: { pid: number; start: string }): boolean =>
  isAlive(pid) && factsOf(pid)?.start === start;

/** Kills a process unless its pid was reused. */
export function endIfSame({ pid, start }: { pid: number; start: string }): void {
  if (factsOf(pid)?.start === start) process.kill(pid, 'SIGKILL');
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Polls until the condition holds; returns false after the timeout. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  boundMs = 20_000,
  everyMs = 20,
): Promise<boolean> {
  const end = performance.now() + boundMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= end) return false;
    await sleep(everyMs);
  }
}
