/** Waits until a newly started subject answers its first call. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openSession } from '../load/session.ts';
import type { Target } from '../load/target.ts';
import type { Running } from '../process/running.ts';
import type { Launch } from '../subjects/subject.ts';

const TIMEOUT_MS = 30_000;
const RETRY_MS = 10;

async function tryCall(target: Target): Promise<void> {
  const session = await openSession(target);
  try {
    const text = await session.call('first');
    if (text !== 'first') throw new Error(`got "${text}" for "first"`);
  } finally {
    await session.close();
  }
}

export async function waitForFirstAnswer(launch: Pick<Launch, 'target'>, running: Running): Promise<Target> {
  const deadline = Date.now() + TIMEOUT_MS;
  const target = await launch.target();
  for (;;) {
    try {
      await tryCall(target);
      return target;
    } catch (error) {
      if (running.exited()) throw new Error(`it ended at the start: ${running.logTail()}`, { cause: error });
      if (Date.now() > deadline) {
        throw new Error(`no answer after ${TIMEOUT_MS} ms: ${String(error)} ${running.logTail()}`, {
          cause: error,
        });
      }
      await sleep(RETRY_MS);
    }
  }
}
