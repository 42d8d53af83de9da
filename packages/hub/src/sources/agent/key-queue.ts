/** Turns of one conversation come one after the other: a gateway would mix the second into the first. */
export interface KeyQueue {
  /** Runs when all that was given before for this key has ended, however it ended. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createKeyQueue(): KeyQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(work);
      const ended = mine
        .catch(() => undefined)
        .finally(() => {
          if (last.get(key) === ended) last.delete(key);
        });
      last.set(key, ended);
      return mine;
    },
  };
}
