/** When a node tries again, and how long it waits for answers. */
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a node waits: before it tries a gateway again, for an answer, and between two looks. */
const STEPS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000] as const;
const JITTER = 0.25;
/** A connection this old counts as stable: the back-off starts over. */
export const STABLE_MS = 10_000;
/** A gateway that has refused a secret counts how often it is asked. */
export const REFUSED_RETRY_MS = 60_000;
/** How long a connected gateway may leave a request unanswered before it is dropped. */
export const ANSWER_MS = 30_000;
/** Somebody has to approve this device, and will not do it within the next seconds. */
export const PENDING_RETRY_MS = 30_000;
/** Where there is no gateway, one may have been set up meanwhile. */
export const OFF_RETRY_MS = 60_000;
/** What a gateway allows changes without a word to the node. */
export const LOOK_AGAIN_MS = 5 * 60_000;

/** Shortened by up to a quarter, so that not all nodes of a gateway come back in step. */
export const retryMs = (attempt: number, random: number): number =>
  Math.round((STEPS_MS[attempt] ?? STEPS_MS.at(-1)!) * (1 - JITTER * random));

interface Pause {
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
