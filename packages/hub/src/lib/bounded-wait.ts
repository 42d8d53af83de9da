/** Waits that end: by a time, or by a signal. The work itself goes on; only the wait is over. */

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
  tooLate: () => unknown = () => new Error(`nothing came within ${milliseconds} ms`),
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
