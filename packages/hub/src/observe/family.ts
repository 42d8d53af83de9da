/** Measurements, independent of the formats of Prometheus and OpenTelemetry. */
export type Labels = Readonly<Record<string, string>>;

export interface NumberPoint {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramPoint {
  readonly labels: Labels;
  /** Upper bounds of all buckets except the last, which has none. */
  readonly bounds: readonly number[];
  /** Per bucket, not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}

interface Described {
  /** In Prometheus' style: ends with the unit, and a counter with `_total`. */
  readonly name: string;
  readonly help: string;
}

export type Family = Described &
  (
    | { readonly type: 'counter' | 'gauge'; readonly points: readonly NumberPoint[] }
    | { readonly type: 'histogram'; readonly points: readonly HistogramPoint[] }
  );

const NO_LABELS: Labels = {};

/** One number, or one per set of labels. A name that ends in `_total` is a counter. */
export const numbers = (name: string, help: string, value: number | readonly NumberPoint[]): Family => ({
  name,
  help,
  type: name.endsWith('_total') ? 'counter' : 'gauge',
  points: typeof value === 'number' ? [{ labels: NO_LABELS, value }] : value,
});

/** A histogram with fixed bounds, so that old and new figures can be compared. */
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
