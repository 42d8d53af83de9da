/** Bytes that all senders together may have held for them. */
export interface ByteBudget {
  /** False: there is no room, and nothing was taken. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export function createByteBudget(limit: number): ByteBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > limit) return false;
      taken += bytes;
      return true;
    },
    give(bytes) {
      taken -= bytes;
    },
  };
}
