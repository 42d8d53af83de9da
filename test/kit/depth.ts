/**
 * How deep a test goes. `npm test` takes a sample. `npm run test:deep` takes everything: more property runs, every
 * byte at which an exchange can be cut, all combinations of clients.
 */
export const isDeep = process.env['PINCER_TEST_DEEP'] === '1';

export const atDepth = <T>(quick: T, deep: T): T => (isDeep ? deep : quick);

/** Fixed, so that a sample can be repeated. For another sample: PINCER_TEST_SEED=2. */
const SEED = Number(process.env['PINCER_TEST_SEED'] ?? 1);

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A seeded sample of a list, in order, plus every item that `isKept` selects. A deep run returns the whole list. */
export function sampled<T>(
  all: readonly T[],
  share: number,
  isKept: (each: T) => boolean = () => false,
): T[] {
  const random = randomFrom(SEED);
  // Draws a number for each item, so that `isKept` does not change which others are drawn.
  return all.filter((each) => random() < share || isDeep || isKept(each));
}
