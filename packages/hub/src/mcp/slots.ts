/** How many calls may run at once, in all and per credential. Who finds none free waits a moment, in order. */

export interface Slots {
  readonly inUse: number;
  /** Streams that stay open hold one of these instead. */
  readonly streams: Shares;
  /** Whether a slot was free. */
  tryTake(holder: string): boolean;
  /** Calls `onSlot` now or within `slotWaitMs`; `onFull` when none became free. */
  take(holder: string, onSlot: () => void, onFull: () => void): void;
  release(holder: string): void;
  /** Calls that wait for a person hold one of these instead. */
  readonly paused: Shares;
  /** Gives the slot up for as long as its call waits. False: too many calls of this holder do, it keeps the slot. */
  pause(holder: string): boolean;
  /** Takes a slot again, also where none is free: who was let run by a person is not turned away by a number. */
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
      // A late timer runs before the answers that came meanwhile and free a slot: those are looked at first.
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

/** How much of something each holder has, up to the same bound for each. */
interface Shares {
  readonly inUse: number;
  /** Whether the holder got one more. */
  take(holder: string): boolean;
  /** One more, whatever the bound. */
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
