/** Kills the hub and restarts it on the same folder. Measures the time until every bridge is open again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcess } from '../process/proc.ts';
import { endProcesses } from '../process/running.ts';
import type { SessionApi } from './app-on.ts';
import type { Crowd } from './crowd.ts';

export interface ComingBack {
  /** From the start of the new process until it answered, and until every bridge was open. */
  answersMs: number;
  allOpenMs: number;
  /** CPU time and memory of the new process at that time. */
  cpuMs: number;
  rssBytes: number;
}

const END_MS = 10_000;

export async function measureComingBack(
  crowd: Crowd,
  pid: number,
  restart: () => Promise<SessionApi>,
  check: () => Promise<void>,
): Promise<ComingBack> {
  const back = crowd.comeBack();
  // A failure is handled below, unless the hub does not even start.
  back.catch(() => {});
  process.kill(pid, 'SIGKILL');
  for (let waited = 0; readProcess(pid) !== undefined && waited < END_MS; waited += 10) await sleep(10);
  const startedAt = Date.now();
  const again = await restart();
  try {
    const answersMs = Date.now() - startedAt;
    const { allOpenAt } = await back;
    const sample = readProcess(again.pid);
    await check();
    return {
      answersMs,
      allOpenMs: allOpenAt - startedAt,
      cpuMs: (sample?.cpuMicros ?? Number.NaN) / 1000,
      rssBytes: sample?.rssBytes ?? Number.NaN,
    };
  } finally {
    await endProcesses([again.pid]);
  }
}
