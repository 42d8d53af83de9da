/** One subject in one case, once: start, memory at rest, load at each level, end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult } from '../load/spec.ts';
import { runLoad } from '../load/start.ts';
import { temporaryFolder, withoutFolders } from '../process/folders.ts';
import { readProcesses } from '../process/proc.ts';
import { endProcesses, startProcess } from '../process/running.ts';
import type { HttpCase, Subject, Upstream } from '../subjects/subject.ts';
import { waitForFirstAnswer } from './first-answer.ts';
import { startUpstream } from './upstream.ts';

export const levels = [1, 32, 128] as const;

const restMs = 500;

export interface HttpRound {
  round: number;
  case: HttpCase;
  subject: string;
  /** From the start of the process to the end of the first call. */
  startMs?: number;
  rssIdleBytes?: number;
  ownProcesses?: number;
  levels: LoadResult[];
  /** Why it could not be measured to the end. */
  failure?: string;
}

export interface Timing {
  warmUpMs: number;
  measureMs: number;
}

async function measureRunning(
  subject: Subject,
  upstream: Upstream,
  timing: Timing,
  round: HttpRound,
): Promise<void> {
  const folder = temporaryFolder(subject.name);
  const launch = await subject.prepare(upstream, folder);
  const startedAt = performance.now();
  const running = await startProcess({ ...launch, folder });
  const ownPids = (): number[] => [running.pid, ...(launch.companions?.() ?? [])];
  try {
    const target = await waitForFirstAnswer(launch, running);
    round.startMs = performance.now() - startedAt;
    await sleep(restMs);
    const own = ownPids();
    round.ownProcesses = own.length;
    round.rssIdleBytes = readProcesses(own).reduce((sum, { rssBytes }) => sum + rssBytes, 0);
    for (const inFlight of levels) {
      round.levels.push(await runLoad({ target, inFlight, ...timing, own }));
    }
  } finally {
    await endProcesses(ownPids());
  }
}

export async function measureHttpRound(
  subject: Subject,
  kind: HttpCase,
  number: number,
  timing: Timing,
): Promise<HttpRound> {
  const round: HttpRound = { round: number, case: kind, subject: subject.name, levels: [] };
  try {
    const behind = await startUpstream(kind);
    try {
      await measureRunning(subject, behind.upstream, timing, round);
    } finally {
      await behind.end();
    }
  } catch (error) {
    round.failure = withoutFolders(String(error));
  }
  return round;
}
