/** What needs much memory is done one after the other, whoever asks for it. */
let last: Promise<unknown> = Promise.resolve();

/** Rejects as soon as the signal is aborted. What has begun by then goes on by itself; what has not, never begins. */
export async function oneAtATime<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const mine = last.then(() => {
    signal.throwIfAborted();
    return work();
  });
  last = mine.catch(() => undefined);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([mine, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
