/** Waiting that can be cut short. */
export interface Pause {
  wait(ms: number): Promise<void>;
  /** Ends the wait that is under way. */
  wake(): void;
}

export function createPause(): Pause {
  let wake: () => void = () => {};
  return {
    async wait(ms) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
    },
    wake: () => wake(),
  };
}
