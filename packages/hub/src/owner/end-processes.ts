/**
 * Ends processes with everything that they started. On Unix each child leads a process group, and its descendants stay
 * in that group unless they leave it on purpose. Windows has no groups, so `taskkill` ends the tree.
 */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { safeFolder } from '../lib/process.ts';
import {
  compareStarts,
  processStart,
  readAll,
  readGroup,
  readProcess,
  type ProcessFacts,
} from './process-identity.ts';

/** How long each step of a child's end may take, in milliseconds. */
export interface SpawnLimits {
  /** From the end of stdin to SIGTERM. A server that reads the end of its input exits by itself. */
  readonly stdinEndMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly termMs: number;
  /** From SIGKILL to giving up: only a process stuck in the kernel survives it. */
  readonly killMs: number;
  /** From a child's exit to the end of reading, when a grandchild keeps its output open. */
  readonly lastOutputMs: number;
  /** Between two checks whether a group is gone. */
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
  /** Identity of the leader (process-identity.ts). If it is unknown it is empty, and the group is never signalled. */
  readonly start: string;
}

/** For a child that was started just now: it may be dead already, but not yet collected. */
export const describeGroup = (pid: number): ProcessGroup => ({ pid, start: readProcess(pid)?.start ?? '' });

/** Returns whether the signal reached a process. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  // kill(0) means our own group, and kill(-1) every process of the user.
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
  // The leader opened its own session, and a group never leaves its session.
  (facts.session === undefined || facts.session === pid) &&
  compareStarts(facts.start, start) >= 0;

/** Whether a process of this very group still runs. A later group under the same id does not count. */
export function groupLives(group: ProcessGroup): boolean {
  if (group.start === '' || !signalGroup(group.pid, 0)) return false;
  const leader = readProcess(group.pid);
  // An id is reused only when leader and group are gone, so another leader means that both are.
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

/** Sends SIGTERM, waits, then sends SIGKILL. Returns true when nothing of the group is left. */
export async function endGroup(group: ProcessGroup, limits: SpawnLimits): Promise<boolean> {
  if (!groupLives(group)) return true;
  signalGroup(group.pid, 'SIGTERM');
  if (await goneWithin(group, limits.termMs, limits.pollMs)) return true;
  signalGroup(group.pid, 'SIGKILL');
  return goneWithin(group, limits.killMs, limits.pollMs);
}

/** Ends a program with all its descendants. Returns true when nothing of it is left. */
export function endTree(
  group: ProcessGroup,
  limits: SpawnLimits,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  return platform === 'win32' ? endByTaskkill(group.pid, limits.killMs) : endFamily(group, limits);
}

/** Ends the group, and those descendants that have left it but whose parents still run. */
async function endFamily(group: ProcessGroup, limits: SpawnLimits): Promise<boolean> {
  if (!groupLives(group)) return true;
  const left = descendants(group.pid, readAll()).filter((each) => each.group !== group.pid);
  for (const each of left) signal(each, 'SIGTERM');
  const isGone = await endGroup(group, limits);
  for (const each of left) signal(each, 'SIGKILL');
  return isGone;
}

/** Ends what is left of a program that has exited by itself. Windows no longer knows the children of such a program. */
export const endRest = (
  group: ProcessGroup,
  limits: SpawnLimits,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> => (platform === 'win32' ? Promise.resolve(true) : endGroup(group, limits));

function descendants(pid: number, all: readonly ProcessFacts[]): ProcessFacts[] {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found: ProcessFacts[] = [];
  const next = [...(children.get(pid) ?? [])];
  for (let each = next.pop(); each !== undefined; each = next.pop()) {
    found.push(each);
    next.push(...(children.get(each.pid) ?? []));
  }
  return found;
}

/** Returns a process and all its living descendants, in any group. The process itself comes first. */
export function processTree(pid: number): ProcessFacts[] {
  const all = readAll().filter(({ zombie }) => !zombie);
  return [...all.filter((each) => each.pid === pid), ...descendants(pid, all)];
}

/** Kills those of the given processes that still run under the same identity, with their current descendants. */
export function killSeen(seen: readonly ProcessFacts[]): void {
  const all = readAll().filter(({ zombie }) => !zombie);
  const isHere = ({ pid, start }: ProcessFacts): boolean =>
    all.some((each) => each.pid === pid && each.start === start);
  const found = seen.filter(isHere).flatMap((each) => [each, ...descendants(each.pid, all)]);
  for (const pid of new Set(found.map((each) => each.pid))) send(pid, 'SIGKILL');
}

function signal({ pid, start }: ProcessFacts, name: NodeJS.Signals): void {
  // The id may belong to another process by now.
  if (processStart(pid) === start) send(pid, name);
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has just ended, or belongs to another user.
  }
}

export const taskkillArgs = (pid: number): string[] => ['/PID', String(pid), '/T', '/F'];

export const endByTaskkill = (pid: number, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn('taskkill', taskkillArgs(pid), {
      cwd: safeFolder(),
      stdio: 'ignore',
      windowsHide: true,
      timeout: timeoutMs,
    });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
