/** Starts a subject and waits until it has answered a call. */
import type { Target } from '../load/target.ts';
import { cacheFolder, temporaryFolder } from '../process/folders.ts';
import { endProcesses, startProcess } from '../process/running.ts';
import type { Subject, Upstream } from '../subjects/subject.ts';
import { waitForFirstAnswer } from './first-answer.ts';

export interface StartedSubject {
  target: Target;
  /** From the start of the process to the end of the first call. */
  startMs: number;
  /** The proxy's own processes, without the servers behind it. */
  ownPids(): number[];
  end(): Promise<void>;
}

export async function startSubject(subject: Subject, upstream: Upstream): Promise<StartedSubject> {
  const folder = temporaryFolder(subject.name);
  const { env, ...launch } = await subject.prepare(upstream, folder);
  const caches = { XDG_CACHE_HOME: cacheFolder(subject.name) };
  const startedAt = performance.now();
  const running = await startProcess({ ...launch, env: { ...caches, ...env }, folder });
  const ownPids = (): number[] => [running.pid, ...(launch.companions?.() ?? [])];
  const end = (): Promise<void> => endProcesses(ownPids());
  try {
    const target = await waitForFirstAnswer(launch, running);
    return { target, startMs: performance.now() - startedAt, ownPids, end };
  } catch (error) {
    await end();
    throw error;
  }
}
