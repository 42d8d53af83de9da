/** The beginning of what a program writes. */
export interface KeptOutput {
  take(chunk: Buffer): void;
  /** What was kept. */
  bytes(): Buffer;
  /** Bytes that were not. */
  readonly dropped: number;
}

export function keepOutput(maxBytes: number, onFull: () => void): KeptOutput {
  const chunks: Buffer[] = [];
  let room = maxBytes;
  let dropped = 0;
  return {
    take(chunk) {
      const kept = chunk.subarray(0, room);
      if (kept.length > 0) chunks.push(kept);
      room -= kept.length;
      dropped += chunk.length - kept.length;
      if (dropped > 0) onFull();
    },
    bytes: () => Buffer.concat(chunks),
    get dropped() {
      return dropped;
    },
  };
}
