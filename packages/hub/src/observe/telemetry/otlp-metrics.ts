/** The body of a POST to `/v1/metrics` (opentelemetry-proto, ExportMetricsServiceRequest). */
import type { Family, HistogramPoint, Labels, NumberPoint } from '../family.ts';
import { keyValues, nanos, resourceOf, scopeOf, type KeyValue, type Origin } from './otlp-values.ts';

/** Counted since the start, not since the last export. */
const CUMULATIVE = 2;

export interface Period {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly now: number;
}

export const metricsBody = (families: readonly Family[], origin: Origin, period: Period): string =>
  JSON.stringify({
    resourceMetrics: [
      {
        resource: resourceOf(origin),
        scopeMetrics: [
          {
            scope: scopeOf(origin),
            metrics: families
              .filter(({ points }) => points.length > 0)
              .map((family) => toOtlp(family, period)),
          },
        ],
      },
    ],
  });

function toOtlp(family: Family, period: Period): object {
  const about = { name: family.name, description: family.help, unit: unitOf(family.name) };
  if (family.type === 'histogram') {
    const dataPoints = family.points.map((point) => histogramPoint(point, period));
    return { ...about, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  const finite = family.points.filter(({ value }) => Number.isFinite(value));
  const dataPoints = finite.map((point) => numberPoint(point, period));
  if (family.type === 'gauge') return { ...about, gauge: { dataPoints } };
  return { ...about, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
}

const numberPoint = ({ labels, value }: NumberPoint, period: Period): object => ({
  ...moment(labels, period),
  asDouble: value,
});

const histogramPoint = ({ labels, bounds, counts, sum }: HistogramPoint, period: Period): object => ({
  ...moment(labels, period),
  count: String(counts.reduce((all, count) => all + count, 0)),
  sum,
  bucketCounts: counts.map(String),
  explicitBounds: bounds,
});

const moment = (
  labels: Labels,
  { startedAt, now }: Period,
): { attributes: KeyValue[]; startTimeUnixNano: string; timeUnixNano: string } => ({
  attributes: keyValues(Object.entries(labels)),
  startTimeUnixNano: nanos(startedAt),
  timeUnixNano: nanos(now),
});

/** UCUM. The unit is part of the name, in Prometheus' style. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$|\.duration$/.test(name)) return 's';
  return /_bytes(_total)?$/.test(name) ? 'By' : '';
}
