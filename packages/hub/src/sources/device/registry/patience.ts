/** Capabilities may be anybody's: one that throws or never ends is not waited for. */
export async function patiently<T>(work: () => Promise<T> | T, milliseconds: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nothing came within ${milliseconds} ms`)), milliseconds);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
