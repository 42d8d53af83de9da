/** What needs much memory is done one after the other, whoever asks for it. */
import { orAborted } from '../../../or-aborted.ts';

let last: Promise<unknown> = Promise.resolve();

/** Rejects as soon as the signal is aborted. What has begun by then goes on by itself; what has not, never begins. */
export function oneAtATime<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const mine = last.then(() => {
    signal.throwIfAborted();
    return work();
  });
  last = mine.catch(() => undefined);
  return orAborted(mine, signal);
}
