/** The time between two attempts to connect, which somebody in a hurry cuts short. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Pause {
  /** Until the time has passed, somebody is in a hurry, or `ending` is aborted. */
  rest(milliseconds: number): Promise<void>;
  /** Ends a rest, or else the next one before it begins. */
  hurry(): void;
  readonly isHurried: boolean;
}

export function createPause(ending: AbortSignal): Pause {
  let isHurried = false;
  let waking = new AbortController();
  return {
    async rest(milliseconds) {
      waking = new AbortController();
      const signal = AbortSignal.any([waking.signal, ending]);
      if (!isHurried) await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
      isHurried = false;
    },
    hurry() {
      isHurried = true;
      waking.abort();
    },
    get isHurried() {
      return isHurried;
    },
  };
}
