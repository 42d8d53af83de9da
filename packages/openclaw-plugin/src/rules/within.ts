/** The result, or undefined where it does not come in time or is not needed any more. Failures are passed on. */
export async function within<T>(work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
  const given = Promise.withResolvers<undefined>();
  const giveUp = (): void => given.resolve(undefined);
  const timer = setTimeout(giveUp, ms).unref();
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted === true) giveUp();
  try {
    return await Promise.race([work, given.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
    // Whoever has given up hears of no failure either.
    work.catch(() => undefined);
  }
}
