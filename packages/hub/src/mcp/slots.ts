/**
 * Limits how many calls run at once, in total and per credential. If no slot is free, requests wait briefly, in order.
 */

export interface Slots {
  readonly inUse: number;
  /** Open streams hold one of these instead of a slot. */
  readonly streams: Shares;
  /** Returns whether a slot was free. */
  tryTake(holder: string): boolean;
  /** Calls `onSlot` now or within `slotWaitMs`, or `onFull` if no slot became free. */
  take(holder: string, onSlot: () => void, onFull: () => void): void;
  release(holder: string): void;
  /** Calls that wait for a person hold one of these instead of a slot. */
  readonly paused: Shares;
  /**
   * Releases the slot while its call waits. Returns false, and keeps the slot, if the holder has too many waiting
   * calls.
   */
  pause(holder: string): boolean;
  /** Takes a slot again even if none is free: a call that a person allowed is not refused by a limit. */
  goOn(holder: string): void;
}

export interface SlotLimits {
  readonly maxCalls: number;
  readonly maxCallsPerCredential: number;
  readonly slotWaitMs: number;
  readonly maxStreamsPerCredential: number;
}

interface Waiter {
  readonly holder: string;
  readonly onSlot: () => void;
  readonly timer: NodeJS.Timeout;
}

export function createSlots(limits: SlotLimits): Slots {
  const held = createShares(limits.maxCallsPerCredential);
  const paused = createShares(limits.maxCallsPerCredential);
  const waiting = new Set<Waiter>();

  const tryTake = (holder: string): boolean => held.inUse < limits.maxCalls && held.take(holder);

  function release(holder: string): void {
    held.release(holder);
    for (const waiter of waiting) {
      if (!tryTake(waiter.holder)) continue;
      waiting.delete(waiter);
      clearTimeout(waiter.timer);
      waiter.onSlot();
      return;
    }
  }

  return {
    get inUse() {
      return held.inUse;
    },
    streams: createShares(limits.maxStreamsPerCredential),
    tryTake,
    take(holder, onSlot, onFull) {
      if (tryTake(holder)) return onSlot();
      const giveUp = (): void => {
        if (waiting.delete(waiter)) onFull();
      };
      // A late timer fires before pending answers that would free a slot, so let those run first.
      const timer = setTimeout(() => setImmediate(giveUp), limits.slotWaitMs);
      const waiter: Waiter = { holder, onSlot, timer };
      waiting.add(waiter);
    },
    release,
    paused,
    pause(holder) {
      if (!paused.take(holder)) return false;
      release(holder);
      return true;
    },
    goOn(holder) {
      paused.release(holder);
      held.force(holder);
    },
  };
}

/** Counts units per holder, up to the same limit for each. */
interface Shares {
  readonly inUse: number;
  /** Returns whether the holder got one more. */
  take(holder: string): boolean;
  /** Takes one more, regardless of the limit. */
  force(holder: string): void;
  release(holder: string): void;
}

function createShares(maxPerHolder: number): Shares {
  const held = new Map<string, number>();
  let inUse = 0;
  function force(holder: string): void {
    held.set(holder, (held.get(holder) ?? 0) + 1);
    inUse++;
  }
  return {
    get inUse() {
      return inUse;
    },
    take(holder) {
      if ((held.get(holder) ?? 0) >= maxPerHolder) return false;
      force(holder);
      return true;
    },
    force,
    release(holder) {
      const left = held.get(holder)! - 1;
      if (left === 0) held.delete(holder);
      else held.set(holder, left);
      inUse--;
    },
  };
}
