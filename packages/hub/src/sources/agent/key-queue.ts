/** What has the same key is done one after the other, say the turns of one conversation: a gateway would mix them. */
import { orAborted } from './or-aborted.ts';

export interface KeyQueue {
  /**
   * Runs when all that was given before for this key has ended, however it ended. Aborted while it waits, it never
   * begins, and this rejects at once with the signal's reason; what has begun is left alone.
   */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createKeyQueue(): KeyQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, work, signal) {
      const before = last.get(key) ?? Promise.resolve();
      const waited = signal === undefined ? before : orAborted(before, signal);
      const mine = waited.then(() => {
        signal?.throwIfAborted();
        return work();
      });
      // Whoever was taken back leaves those before it to be waited for.
      const ended = Promise.allSettled([before, mine]).then(() => {
        if (last.get(key) === ended) last.delete(key);
      });
      last.set(key, ended);
      return mine;
    },
  };
}
