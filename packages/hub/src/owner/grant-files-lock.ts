/**
 * Work that only one process does at a time, such as to renew a token: the second would spend a refresh token that the
 * first has spent. The lock is the lease's kind: the kernel frees it when its holder dies, however that dies.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PincerError } from '../core/errors.ts';
import { takeLock, type Lease } from './lease.ts';

/** Whoever holds it asks an authorization server, which has seconds to answer. */
const MAX_WAIT_MS = 60_000;
const LOOK_MS = 20;

export async function lockedAlone<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = await take(path);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function take(path: string): Promise<Lease> {
  for (let waited = 0; waited < MAX_WAIT_MS; waited += LOOK_MS) {
    const lock = takeLock(path, 0);
    if (lock !== undefined) return lock;
    await sleep(LOOK_MS);
  }
  throw new PincerError('SERVER_UNREACHABLE', `Another process keeps ${path} locked.`, {
    hint: 'Try again in a moment; if that stays so, look for a Pincer process that hangs.',
  });
}
