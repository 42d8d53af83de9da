/** The clock, bounded waits, and work that runs one at a time. A wait that ends early leaves the work running. */

/** The system's clock: wall time, and a monotonic time for intervals, in milliseconds. */
export const clock = { now: (): number => Date.now(), elapsed: (): number => performance.now() };

/** Resolves with the result, or with undefined after `milliseconds`. Rejects if the work fails in time. */
export function within<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  return first(
    work,
    late,
    setTimeout(() => resolve(undefined), milliseconds),
  );
}

/** Resolves with the result, or rejects with `tooLate()` after `milliseconds`. */
export function orTooLate<T>(
  work: Promise<T> | T,
  milliseconds: number,
  tooLate: () => unknown = () => new Error(`no result within ${milliseconds} ms`),
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  return first(
    work,
    late,
    setTimeout(() => reject(tooLate()), milliseconds),
  );
}

/** Resolves with the result, or rejects when the signal is aborted: with `unwanted()`, else with the signal's reason. */
export async function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  unwanted: () => unknown = () => signal?.reason,
): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(unwanted());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The race also handles a rejection that comes after the wait is over: nothing is left unhandled. */
async function first<T, L>(work: Promise<T> | T, late: Promise<L>, timer: NodeJS.Timeout): Promise<T | L> {
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface TurnOptions {
  readonly signal?: AbortSignal | undefined;
  /** Rejection reason if the signal is aborted before the work begins. Default: the signal's reason. */
  unwanted?(): unknown;
}

/**
 * Begins the work when all earlier work has ended, successfully or not. If the signal is aborted while the work waits,
 * it never begins and the promise rejects at once. Work that has begun is not interrupted.
 */
export type InTurn = <T>(work: () => Promise<T>, options?: TurnOptions) => Promise<T>;

/** Returns a queue that runs work one at a time, in the order in which it was given. */
export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work, { signal, unwanted = () => signal?.reason } = {}) => {
    const before = last;
    const mine = orAborted(before, signal, unwanted).then(() => {
      if (signal?.aborted) throw unwanted();
      return work();
    });
    // Aborted work settles early, so later work also waits for `before`. Results are dropped, so that none is kept alive.
    last = Promise.allSettled([before, mine]).then(() => undefined);
    return mine;
  };
}
