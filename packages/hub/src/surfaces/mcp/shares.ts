/** How much of something each holder has, up to the same bound for each. */
export interface Shares {
  readonly inUse: number;
  /** Whether the holder got one more. */
  take(holder: string): boolean;
  /** One more, whatever the bound. */
  force(holder: string): void;
  release(holder: string): void;
}

export function createShares(maxPerHolder: number): Shares {
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
