/** Counts by size; the bounds are fixed, since a bound that moves makes old and new figures incomparable. */
import type { HistogramPoint, Labels } from './family.ts';

export interface Histogram {
  add(value: number): void;
  point(labels: Labels): HistogramPoint;
}

export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  let sum = 0;
  return {
    add(value) {
      sum += value;
      let bucket = 0;
      while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
      counts[bucket]!++;
    },
    point: (labels) => ({ labels, bounds, counts: counts.slice(), sum }),
  };
}
