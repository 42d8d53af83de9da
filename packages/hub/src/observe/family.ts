/** Measurements, before they are written in the words of Prometheus or of OpenTelemetry. */
export type Labels = Readonly<Record<string, string>>;

export interface NumberPoint {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramPoint {
  readonly labels: Labels;
  /** Upper bounds of all buckets but the last, which has none. */
  readonly bounds: readonly number[];
  /** Per bucket, not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}

interface Described {
  /** As Prometheus wants it: the unit at the end, `_total` on a counter. */
  readonly name: string;
  readonly help: string;
}

export type Family = Described &
  (
    | { readonly type: 'counter' | 'gauge'; readonly points: readonly NumberPoint[] }
    | { readonly type: 'histogram'; readonly points: readonly HistogramPoint[] }
  );

const NO_LABELS: Labels = {};

/** One number, or one for each set of labels; a name that ends in `_total` is that of a counter. */
export const numbers = (name: string, help: string, value: number | readonly NumberPoint[]): Family => ({
  name,
  help,
  type: name.endsWith('_total') ? 'counter' : 'gauge',
  points: typeof value === 'number' ? [{ labels: NO_LABELS, value }] : value,
});

/** Counts by size. The bounds are fixed: with bounds that move, old and new figures could not be compared. */
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
