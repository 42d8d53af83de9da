/** Ends a program with all that it has started, by whatever the system has for it. */
import { spawn } from 'node:child_process';
import { safeFolder } from '../lib/process.ts';
import { endGroup, groupLives, type ProcessGroup, type SpawnLimits } from './process-group.ts';
import { processStart, readAll, type ProcessFacts } from './process-identity.ts';

/** Windows has no process groups: its own program knows who started whom. */
export const taskkillArgs = (pid: number): string[] => ['/PID', String(pid), '/T', '/F'];

/** True when nothing of it is left. */
export function endTree(
  group: ProcessGroup,
  limits: SpawnLimits,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  return platform === 'win32' ? endByTaskkill(group.pid, limits.killMs) : endFamily(group, limits);
}

/** The group, and those of its descendants that have left it but whose parents still run. */
async function endFamily(group: ProcessGroup, limits: SpawnLimits): Promise<boolean> {
  if (!groupLives(group)) return true;
  const left = descendants(group.pid, readAll()).filter((each) => each.group !== group.pid);
  for (const each of left) signal(each, 'SIGTERM');
  const isGone = await endGroup(group, limits);
  for (const each of left) signal(each, 'SIGKILL');
  return isGone;
}

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

/** A process and all living ones below it, whatever group they are in. The process itself comes first. */
export function processTree(pid: number): ProcessFacts[] {
  const all = readAll().filter(({ zombie }) => !zombie);
  return [...all.filter((each) => each.pid === pid), ...descendants(pid, all)];
}

/** Kills those that are still the processes that were seen, with all that they have started since. */
export function killSeen(seen: readonly ProcessFacts[]): void {
  const all = readAll().filter(({ zombie }) => !zombie);
  const isHere = ({ pid, start }: ProcessFacts): boolean =>
    all.some((each) => each.pid === pid && each.start === start);
  const found = seen.filter(isHere).flatMap((each) => [each, ...descendants(each.pid, all)]);
  for (const pid of new Set(found.map((each) => each.pid))) send(pid, 'SIGKILL');
}

function signal({ pid, start }: ProcessFacts, name: NodeJS.Signals): void {
  // Its id may be another's by now.
  if (processStart(pid) === start) send(pid, name);
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended, or belongs to somebody else.
  }
}

/** What a program that has ended by itself has left. On Windows nobody knows any more who was its child. */
export const endRest = (
  group: ProcessGroup,
  limits: SpawnLimits,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> => (platform === 'win32' ? Promise.resolve(true) : endGroup(group, limits));

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
