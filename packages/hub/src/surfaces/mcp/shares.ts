/** How much of something each holder has, up to the same bound for each. */
export interface Shares {
  readonly inUse: number;
  /** Whether the holder got one more. */
  take(holder: string): boolean;
  release(holder: string): void;
}

export function createShares(maxPerHolder: number): Shares {
  const held = new Map<string, number>();
  let inUse = 0;
  return {
    get inUse() {
      return inUse;
    },
    take(holder) {
      const own = held.get(holder) ?? 0;
      if (own >= maxPerHolder) return false;
      held.set(holder, own + 1);
      inUse++;
      return true;
    },
    release(holder) {
      const left = held.get(holder)! - 1;
      if (left === 0) held.delete(holder);
      else held.set(holder, left);
      inUse--;
    },
  };
}
