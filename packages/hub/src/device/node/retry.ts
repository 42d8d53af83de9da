/** When a node tries again, and how long it waits for answers. */
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a node waits: before it tries a gateway again, for an answer, and between two looks. */
const STEPS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000] as const;
const JITTER = 0.25;
/** A connection this old counts as stable: the back-off starts over. */
export const STABLE_MS = 10_000;
/** After a refused secret. Gateways count attempts. */
export const REFUSED_RETRY_MS = 60_000;
/** How long a connected gateway may leave a request unanswered before it is dropped. */
export const ANSWER_MS = 30_000;
/** While a person has to approve this device. */
export const PENDING_RETRY_MS = 30_000;
/** While no gateway is configured. */
export const OFF_RETRY_MS = 60_000;
/** A gateway does not report changed permissions. */
export const LOOK_AGAIN_MS = 5 * 60_000;

/** Shortened by up to a quarter, so that nodes do not reconnect at the same time. */
export const retryMs = (attempt: number, random: number): number =>
  Math.round((STEPS_MS[attempt] ?? STEPS_MS.at(-1)!) * (1 - JITTER * random));

interface Pause {
  /** Resolves after the time, on `hurry`, or when `ending` is aborted. */
  rest(milliseconds: number): Promise<void>;
  /** Ends the current or the next rest at once. */
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
