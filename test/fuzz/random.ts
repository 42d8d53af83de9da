/** Random numbers that the same seed gives again. */
export interface Random {
  /** From 0 up to, not including, `below`. */
  int(below: number): number;
  /** True once in so many times. */
  oneIn(times: number): boolean;
  pick<T>(items: readonly T[]): T;
  bytes(length: number): Buffer;
}

/** mulberry32, started from the text of a seed. */
export function createRandom(seed: string): Random {
  let state = hash(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    oneIn: (times) => int(times) === 0,
    pick: (items) => items[int(items.length)]!,
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ char.codePointAt(0)!, 0x01000193);
  return value;
}
