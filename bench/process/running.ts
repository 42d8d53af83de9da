/** Starts processes, tracks them, and ends them all: after use, on failure and on Ctrl-C. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { endTrees, killTrees } from './ending.ts';
import { readProcess } from './proc.ts';

export interface StartOptions {
  command: string;
  args: readonly string[];
  /** A separate home, so that no settings of this machine are read. The output goes to a file in it. */
  folder: string;
  env?: Record<string, string>;
}

export interface Running {
  pid: number;
  exited(): boolean;
  logTail(): string;
}

/** Pid and start time: a pid alone may belong to another process by now. */
const running = new Map<number, number>();
const finders = new Set<() => readonly number[]>();
let ending = false;

export function cleanEnv(folder: string, extra: Record<string, string> = {}): Record<string, string> {
  const nodeFirst = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  return { PATH: nodeFirst, HOME: folder, LANG: 'C.UTF-8', TMPDIR: folder, ...extra };
}

export function isEnding(): boolean {
  return ending;
}

export function refuseWhenEnding(): void {
  if (ending) throw new Error('the benchmark is ending');
}

/** `undefined` if it never ran. */
export function remember(pid: number | undefined): void {
  const sample = pid === undefined ? undefined : readProcess(pid);
  if (sample !== undefined) running.set(sample.pid, sample.startTicks);
}

export function forget(pid: number | undefined): void {
  if (pid !== undefined) running.delete(pid);
}

/** For programs that start background processes: `find` returns the running ones. */
export function rememberFinder(find: () => readonly number[]): void {
  finders.add(find);
}

export async function startProcess({ command, args, folder, env }: StartOptions): Promise<Running> {
  refuseWhenEnding();
  const logFile = join(folder, 'output.log');
  const log = openSync(logFile, 'a');
  // A separate process group: Ctrl-C reaches only this program, which then ends the others in order.
  const child = spawn(command, args, {
    cwd: folder,
    detached: true,
    env: cleanEnv(folder, env),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  remember(child.pid);
  await once(child, 'spawn');
  if (child.pid === undefined) throw new Error(`${command} has no pid`);
  return {
    pid: child.pid,
    exited: () => child.exitCode !== null || child.signalCode !== null,
    logTail: () => readFileSync(logFile, 'utf8').slice(-2000),
  };
}

export async function endProcesses(pids: readonly number[]): Promise<void> {
  const same = pids.filter((pid) => {
    const startTicks = running.get(pid);
    return startTicks === undefined || startTicks === readProcess(pid)?.startTicks;
  });
  await endTrees(same);
  for (const pid of pids) running.delete(pid);
}

function remaining(): number[] {
  const started = [...running].filter(([pid, startTicks]) => readProcess(pid)?.startTicks === startTicks);
  return [...started.map(([pid]) => pid), ...[...finders].flatMap((find) => find())];
}

export async function endEverything(): Promise<void> {
  ending = true;
  await endProcesses(remaining());
}

/** `cleanUp` runs after all processes have ended. */
export function endEverythingOnSignals(cleanUp: () => void): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      const exit = (): never => process.exit(128 + constants.signals[name]);
      void endEverything().then(exit, exit);
    });
  }
  process.on('exit', () => {
    killTrees(remaining());
    cleanUp();
  });
}
