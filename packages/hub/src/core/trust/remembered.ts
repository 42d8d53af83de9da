/** What was made of some texts. */
export interface Remembered<T> {
  readonly kept: ReadonlyMap<string, T>;
  of(text: string): T;
}

/** Made anew only where it was not made the last time. What is no longer asked for is forgotten with the time before. */
export function remembering<T>(last: Remembered<T> | undefined, make: (text: string) => T): Remembered<T> {
  const kept = new Map<string, T>();
  // Not `last` itself: each would keep the one before it alive, back to the first.
  const before = last?.kept;
  return {
    kept,
    of(text) {
      const known = kept.get(text) ?? before?.get(text) ?? make(text);
      kept.set(text, known);
      return known;
    },
  };
}
