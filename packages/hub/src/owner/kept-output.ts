/** The beginning of what a program writes. */
export interface KeptOutput {
  take(chunk: Buffer): void;
  /** What was kept. */
  bytes(): Buffer;
  /** Bytes that were not. */
  readonly dropped: number;
}

export function keepOutput(maxBytes: number, onFull: () => void): KeptOutput {
  // One piece of memory, however small the pieces are in which it comes.
  let memory = Buffer.alloc(0);
  let size = 0;
  let dropped = 0;
  return {
    take(chunk) {
      const kept = chunk.subarray(0, maxBytes - size);
      if (size + kept.length > memory.length) {
        const larger = Buffer.alloc(Math.min(maxBytes, 2 * (size + kept.length)));
        memory.copy(larger, 0, 0, size);
        memory = larger;
      }
      size += kept.copy(memory, size);
      dropped += chunk.length - kept.length;
      if (dropped > 0) onFull();
    },
    bytes: () => memory.subarray(0, size),
    get dropped() {
      return dropped;
    },
  };
}
