import { OUTCOME_KINDS, type OutcomeKind } from '../core/outcome.ts';
import type { CallRecord } from '../core/ports.ts';
import { heading, labelPairs, numberText, sample } from './exposition.ts';

const BOUNDS_MS = [
  1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000,
] as const;

/** All counts of one server: found once per call, then only added to. */
export interface CallSeries {
  readonly label: string;
  readonly outcomes: Record<OutcomeKind, number>;
  /** Calls per bucket, not yet cumulative; the last is above every bound. */
  readonly buckets: number[];
  totalMs: number;
}

export const createCallSeries = (server: string): CallSeries => ({
  label: labelPairs({ server }),
  outcomes: { ok: 0, tool_error: 0, not_executed: 0, outcome_unknown: 0 },
  buckets: Array.from({ length: BOUNDS_MS.length + 1 }, () => 0),
  totalMs: 0,
});

export function countCall(series: CallSeries, { outcome, durationMs }: CallRecord): void {
  series.outcomes[outcome] += 1;
  series.totalMs += durationMs;
  let bucket = 0;
  while (bucket < BOUNDS_MS.length && durationMs > (BOUNDS_MS[bucket] ?? 0)) bucket += 1;
  series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
}

export function renderCalls(all: readonly CallSeries[]): string {
  return (
    heading('pincer_calls_total', 'counter', 'Finished calls.') +
    all.map(outcomeSamples).join('') +
    heading('pincer_call_duration_seconds', 'histogram', 'Time from the request to its outcome.') +
    all.map(durationSamples).join('')
  );
}

const outcomeSamples = ({ label, outcomes }: CallSeries): string =>
  OUTCOME_KINDS.map((kind) =>
    sample('pincer_calls_total', `${label},${labelPairs({ outcome: kind })}`, outcomes[kind]),
  ).join('');

function durationSamples({ label, buckets, totalMs }: CallSeries): string {
  let text = '';
  let count = 0;
  for (const [index, calls] of buckets.entries()) {
    count += calls;
    const bound = (BOUNDS_MS[index] ?? Infinity) / 1_000;
    text += sample('pincer_call_duration_seconds_bucket', `${label},le="${numberText(bound)}"`, count);
  }
  text += sample('pincer_call_duration_seconds_sum', label, totalMs / 1_000);
  return text + sample('pincer_call_duration_seconds_count', label, count);
}
