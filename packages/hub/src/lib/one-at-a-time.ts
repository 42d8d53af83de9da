/** Work that is done one after the other, in the order in which it was given. */
import { orAborted } from './bounded-wait.ts';

export interface Wish {
  readonly signal?: AbortSignal | undefined;
  /** What it rejects with where it has not begun when it is aborted; the signal's reason if absent. */
  unwanted?(): unknown;
}

/**
 * Begins when all that was given before has ended, however it ended. Aborted while it waits, it never begins, and this
 * rejects at once; nobody comes earlier for it. What has begun is left alone.
 */
export type InTurn = <T>(work: () => Promise<T>, wish?: Wish) => Promise<T>;

export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work, { signal, unwanted = () => signal?.reason } = {}) => {
    const before = last;
    const mine = orAborted(before, signal, unwanted).then(() => {
      if (signal?.aborted) throw unwanted();
      return work();
    });
    // Whoever was taken back leaves those before it to be waited for. What they gave is not kept.
    last = Promise.allSettled([before, mine]).then(() => undefined);
    return mine;
  };
}
