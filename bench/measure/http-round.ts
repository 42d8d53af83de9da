/** One measurement of one subject in one case: start, idle memory, load at each level, end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult } from '../load/spec.ts';
import { runLoad } from '../load/start.ts';
import { withoutFolders } from '../process/folders.ts';
import { readProcesses } from '../process/proc.ts';
import type { HttpCase, Subject, Upstream } from '../subjects/subject.ts';
import { type StartedSubject, startSubject } from './started-subject.ts';
import { startUpstream } from './upstream.ts';

export const LEVELS = [1, 32, 128] as const;

const REST_MS = 500;

export interface HttpRound {
  round: number;
  case: HttpCase;
  subject: string;
  /** From the start of the process to the end of the first call. */
  startMs?: number;
  rssIdleBytes?: number;
  ownProcesses?: number;
  levels: LoadResult[];
  /** Why the measurement failed. */
  failure?: string;
}

export interface Timing {
  warmUpMs: number;
  measureMs: number;
}

interface Plan extends Timing {
  levels: readonly number[];
}

async function measureLevels(
  started: StartedSubject,
  { levels, ...timing }: Plan,
  round: HttpRound,
): Promise<void> {
  round.startMs = started.startMs;
  await sleep(REST_MS);
  const own = started.ownPids();
  round.ownProcesses = own.length;
  round.rssIdleBytes = readProcesses(own).reduce((sum, { rssBytes }) => sum + rssBytes, 0);
  for (const inFlight of levels) {
    round.levels.push(await runLoad({ target: started.target, inFlight, ...timing, own }));
  }
}

async function measureOn(upstream: Upstream, subject: Subject, plan: Plan, round: HttpRound): Promise<void> {
  // The first start fills the caches of files and of compiled code, and does not count.
  if (round.round === 1) await (await startSubject(subject, upstream)).end();
  const started = await startSubject(subject, upstream);
  try {
    await measureLevels(started, plan, round);
  } finally {
    await started.end();
  }
}

export async function measureHttpRound(
  subject: Subject,
  kind: HttpCase,
  number: number,
  plan: Plan,
): Promise<HttpRound> {
  const round: HttpRound = { round: number, case: kind, subject: subject.name, levels: [] };
  try {
    const behind = await startUpstream(kind);
    try {
      await measureOn(behind.upstream, subject, plan, round);
    } finally {
      await behind.end();
    }
  } catch (error) {
    round.failure = withoutFolders(String(error));
  }
  return round;
}
