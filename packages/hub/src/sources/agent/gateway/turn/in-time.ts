/** What is fetched besides, when the answer is there: it is worth waiting for, but not for ever. */
export const AFTER_END_MS = 60_000;

/** `otherwise` where it fails, or takes too long. */
export async function inTime<T>(work: Promise<T>, otherwise: T): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = setTimeout(() => late.resolve(otherwise), AFTER_END_MS);
  try {
    return await Promise.race([work.catch(() => otherwise), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
