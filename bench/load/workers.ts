/** A closed loop: each worker has one session and one call in flight. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from './target.ts';

export interface Workers {
  /** Calls that end between these two are counted. Errors always count. */
  startRecording(): void;
  stopRecording(): void;
  /** Resolves after the last answer, or after a timeout. */
  stop(): Promise<void>;
  latenciesMs: number[];
  errors(): number;
  errorSamples(): string[];
}

const PAUSE_AFTER_ERROR_MS = 5;
const LAST_ANSWER_MS = 15_000;
const SAMPLE_LIMIT = 3;

/** `pauseMs`: average pause of each worker between two calls; zero is a closed loop. */
export function startWorkers(sessions: readonly Session[], pauseMs = 0): Workers {
  const latenciesMs: number[] = [];
  const errorCounts = new Map<string, number>();
  const state = { recording: false, stopped: false };

  function count(error: string): void {
    errorCounts.set(error, (errorCounts.get(error) ?? 0) + 1);
  }

  async function work(session: Session, worker: number): Promise<void> {
    for (let number = 0; !state.stopped; number += 1) {
      // Random: with equal pauses all workers would call at once.
      if (pauseMs > 0) await sleep(2 * pauseMs * Math.random());
      const message = `worker ${worker} call ${number}`;
      const startedAt = performance.now();
      try {
        const text = await session.call(message);
        if (text !== message) throw new Error(`got "${text}" for "${message}"`);
        if (state.recording) latenciesMs.push(performance.now() - startedAt);
      } catch (error) {
        count(error instanceof Error ? error.message : String(error));
        await sleep(PAUSE_AFTER_ERROR_MS);
      }
    }
  }

  const done = Promise.all(sessions.map(work));

  return {
    latenciesMs,
    startRecording() {
      state.recording = true;
    },
    stopRecording() {
      state.recording = false;
    },
    async stop() {
      state.stopped = true;
      const unanswered = sleep(LAST_ANSWER_MS, 'unanswered', { ref: false });
      if ((await Promise.race([done, unanswered])) === 'unanswered') count('calls without an answer');
    },
    errors: () => [...errorCounts.values()].reduce((sum, errors) => sum + errors, 0),
    errorSamples: () =>
      [...errorCounts]
        .sort(([, a], [, b]) => b - a)
        .slice(0, SAMPLE_LIMIT)
        .map(([error, times]) => `${times} × ${error}`),
  };
}
