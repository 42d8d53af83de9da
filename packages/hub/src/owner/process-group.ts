/** Process groups: a child leads one, and whatever it starts belongs to it unless it leaves on purpose. */
import { setTimeout as delay } from 'node:timers/promises';
import { compareStarts, readGroup, readProcess, type ProcessFacts } from './process-identity.ts';

/** How long each step of a child's end may take, in milliseconds. */
export interface SpawnLimits {
  /** From the end of stdin to SIGTERM: a server that reads the end leaves by itself. */
  readonly stdinEndMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly termMs: number;
  /** From SIGKILL to giving up: only a process stuck in the kernel survives it. */
  readonly killMs: number;
  /** From a child's exit to the end of reading, when a grandchild keeps its output open. */
  readonly lastOutputMs: number;
  /** Between two looks at whether a group is gone. */
  readonly pollMs: number;
}

export const SPAWN_LIMITS: SpawnLimits = {
  stdinEndMs: 500,
  termMs: 2_000,
  killMs: 10_000,
  lastOutputMs: 500,
  pollMs: 10,
};

export interface ProcessGroup {
  /** Id of the group and of the process that leads or led it. */
  readonly pid: number;
  /** Identity of the leader (process-identity.ts); empty when it could not be told: then nothing is ever ended. */
  readonly start: string;
}

/** For a child that was started just now: it may be dead already, but not yet collected. */
export const describeGroup = (pid: number): ProcessGroup => ({ pid, start: readProcess(pid)?.start ?? '' });

/** True when the signal reached somebody. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  // kill(0) means our own group and kill(-1) every process there is.
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

const belongs = (facts: ProcessFacts, { pid, start }: ProcessGroup): boolean =>
  !facts.zombie &&
  // The leader opened a session of its own, and a group never leaves its session.
  (facts.session === undefined || facts.session === pid) &&
  compareStarts(facts.start, start) >= 0;

/** Whether a living process is left of this very group, not of a later one under the same id. */
export function groupLives(group: ProcessGroup): boolean {
  if (group.start === '' || !signalGroup(group.pid, 0)) return false;
  const leader = readProcess(group.pid);
  // An id is free for reuse only when leader and group are gone: another leader means that ours are.
  if (leader !== undefined && leader.start !== group.start) return false;
  if (leader !== undefined && !leader.zombie) return leader.group === group.pid;
  return readGroup(group.pid).some((facts) => belongs(facts, group));
}

async function goneWithin(group: ProcessGroup, milliseconds: number, pollMs: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (groupLives(group)) {
    if (performance.now() >= deadline) return false;
    await delay(pollMs);
  }
  return true;
}

/** SIGTERM, a while, SIGKILL. True when nothing of the group is left. */
export async function endGroup(group: ProcessGroup, limits: SpawnLimits): Promise<boolean> {
  if (!groupLives(group)) return true;
  signalGroup(group.pid, 'SIGTERM');
  if (await goneWithin(group, limits.termMs, limits.pollMs)) return true;
  signalGroup(group.pid, 'SIGKILL');
  return goneWithin(group, limits.killMs, limits.pollMs);
}
