/** Ends a program with all that it has started, by whatever the system has for it. */
import { spawn } from 'node:child_process';
import { endGroup, type ProcessGroup } from './process-group.ts';
import type { SpawnLimits } from './spawn-limits.ts';

/** Windows has no process groups: its own program knows who started whom. */
export const taskkillArgs = (pid: number): string[] => ['/PID', String(pid), '/T', '/F'];

/** True when nothing of it is left. */
export function endTree(
  group: ProcessGroup,
  limits: SpawnLimits,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  return platform === 'win32' ? endByTaskkill(group.pid, limits.killMs) : endGroup(group, limits);
}

/** What a program that has ended by itself has left. On Windows nobody knows any more who was its child. */
export const endRest = (
  group: ProcessGroup,
  limits: SpawnLimits,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> => (platform === 'win32' ? Promise.resolve(true) : endGroup(group, limits));

const endByTaskkill = (pid: number, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn('taskkill', taskkillArgs(pid), {
      stdio: 'ignore',
      windowsHide: true,
      timeout: timeoutMs,
    });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
