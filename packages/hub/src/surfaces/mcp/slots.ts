/** How many calls may run at once, in all and per credential. Who finds none free waits a moment, in order. */

export interface Slots {
  readonly inUse: number;
  /** Calls `onSlot` now or within `slotWaitMs`; `onFull` when none became free. */
  take(holder: string, onSlot: () => void, onFull: () => void): void;
  release(holder: string): void;
}

export interface SlotLimits {
  readonly maxCalls: number;
  readonly maxCallsPerCredential: number;
  readonly slotWaitMs: number;
}

interface Waiter {
  readonly holder: string;
  readonly onSlot: () => void;
  readonly timer: NodeJS.Timeout;
}

export function createSlots(limits: SlotLimits): Slots {
  const held = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let inUse = 0;

  const isFree = (holder: string): boolean =>
    inUse < limits.maxCalls && (held.get(holder) ?? 0) < limits.maxCallsPerCredential;

  function grant(holder: string): void {
    inUse++;
    held.set(holder, (held.get(holder) ?? 0) + 1);
  }

  return {
    get inUse() {
      return inUse;
    },
    take(holder, onSlot, onFull) {
      if (isFree(holder)) {
        grant(holder);
        onSlot();
        return;
      }
      const giveUp = (): void => {
        if (waiting.delete(waiter)) onFull();
      };
      // A late timer runs before the answers that came meanwhile and free a slot: those are looked at first.
      const timer = setTimeout(() => setImmediate(giveUp), limits.slotWaitMs);
      const waiter: Waiter = { holder, onSlot, timer };
      waiting.add(waiter);
    },
    release(holder) {
      inUse--;
      const left = held.get(holder)! - 1;
      if (left === 0) held.delete(holder);
      else held.set(holder, left);
      for (const waiter of waiting) {
        if (!isFree(waiter.holder)) continue;
        waiting.delete(waiter);
        clearTimeout(waiter.timer);
        grant(waiter.holder);
        waiter.onSlot();
        return;
      }
    },
  };
}
