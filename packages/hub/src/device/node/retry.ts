/** Delays of a node: before it retries, for an answer, and between two publications. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Delays before the first, second … retry. */
const STEPS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000] as const;
const JITTER = 0.25;
/** A connection of this age counts as stable: the backoff starts over. */
export const STABLE_MS = 10_000;
/** After a refused credential. Gateways count attempts. */
export const REFUSED_RETRY_MS = 60_000;
/** If a gateway leaves a request unanswered for this long, the node closes the connection. */
export const ANSWER_MS = 30_000;
/** While the node waits for a person to approve this device. */
export const PENDING_RETRY_MS = 30_000;
/** While no gateway is configured. */
export const OFF_RETRY_MS = 60_000;
/** A gateway does not report changed permissions, so the node publishes again. */
export const PUBLISH_AGAIN_MS = 5 * 60_000;

/** Shortened by up to a quarter, so that nodes do not reconnect at the same time. */
export const retryMs = (attempt: number, random: number): number =>
  Math.round((STEPS_MS[attempt] ?? STEPS_MS.at(-1)!) * (1 - JITTER * random));

interface Pause {
  /** Resolves after the time, on `skip`, or when `ending` is aborted. */
  wait(milliseconds: number): Promise<void>;
  /** Ends the current or the next wait at once. */
  skip(): void;
  /** Whether the next wait will be skipped. */
  readonly isSkipped: boolean;
}

export function createPause(ending: AbortSignal): Pause {
  let isSkipped = false;
  let waking = new AbortController();
  return {
    async wait(milliseconds) {
      waking = new AbortController();
      const signal = AbortSignal.any([waking.signal, ending]);
      if (!isSkipped) await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
      isSkipped = false;
    },
    skip() {
      isSkipped = true;
      waking.abort();
    },
    get isSkipped() {
      return isSkipped;
    },
  };
}
