export interface IdleOptions {
  readonly idleMs: number;
  readonly elapsed: () => number;
  /** Something is going on right now. */
  isBusy(): boolean;
  /** Grows with everything that happens. */
  activity(): number;
  onIdle(): void;
}

const CHECK_MS = 1_000;

/** Tells when nothing has happened for a while. Returns what ends the watching. */
export function watchIdle(options: IdleOptions): () => void {
  let lastBusy = options.elapsed();
  let lastActivity = options.activity();
  const timer = setInterval(
    () => {
      const activity = options.activity();
      if (options.isBusy() || activity !== lastActivity) {
        lastActivity = activity;
        lastBusy = options.elapsed();
      } else if (options.elapsed() - lastBusy >= options.idleMs) options.onIdle();
    },
    Math.min(CHECK_MS, options.idleMs),
  );
  return () => clearInterval(timer);
}
