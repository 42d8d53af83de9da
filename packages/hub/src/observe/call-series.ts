import type { ErrorCode } from '../core/errors.ts';
import { OUTCOME_KINDS, type OutcomeKind } from '../core/outcome.ts';
import type { CallRecord } from '../core/ports.ts';
import { numbers, type Family } from './family.ts';
import { createHistogram, type Histogram } from './histogram.ts';

/** Seconds. Most calls through the hub take milliseconds; a person who is asked takes a minute. */
const BOUNDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
] as const;

/** All counts of one server: found once per call, then only added to. */
export interface CallSeries {
  readonly server: string;
  readonly outcomes: Record<OutcomeKind, number>;
  readonly durations: Histogram;
  readonly failures: Map<ErrorCode, number>;
  argumentBytes: number;
  answerBytes: number;
}

export const createCallSeries = (server: string): CallSeries => ({
  server,
  outcomes: { ok: 0, tool_error: 0, not_executed: 0, outcome_unknown: 0 },
  durations: createHistogram(BOUNDS),
  failures: new Map(),
  argumentBytes: 0,
  answerBytes: 0,
});

export function countCall(series: CallSeries, call: CallRecord): void {
  series.outcomes[call.outcome] += 1;
  series.durations.add(call.durationMs / 1_000);
  series.argumentBytes += call.argumentBytes ?? call.arguments?.length ?? 0;
  series.answerBytes += call.answerBytes ?? 0;
  if (call.code !== undefined) series.failures.set(call.code, (series.failures.get(call.code) ?? 0) + 1);
}

export const callFamilies = (all: readonly CallSeries[]): Family[] => [
  numbers(
    'pincer_calls_total',
    'Finished calls by outcome.',
    all.flatMap(({ server, outcomes }) =>
      OUTCOME_KINDS.map((outcome) => ({ labels: { server, outcome }, value: outcomes[outcome] })),
    ),
  ),
  numbers(
    'pincer_call_failures_total',
    'Calls that did not run, or of which nobody knows whether they ran, by the code that says why.',
    all.flatMap(({ server, failures }) =>
      [...failures].map(([code, value]) => ({ labels: { server, code }, value })),
    ),
  ),
  {
    name: 'pincer_call_duration_seconds',
    help: 'Time from the request to its outcome.',
    type: 'histogram',
    points: all.map(({ server, durations }) => durations.point({ server })),
  },
  numbers(
    'pincer_call_argument_bytes_total',
    'Size of the arguments of finished calls.',
    all.map(({ server, argumentBytes }) => ({ labels: { server }, value: argumentBytes })),
  ),
  numbers(
    'pincer_call_answer_bytes_total',
    'Size of the results and errors that servers gave.',
    all.map(({ server, answerBytes }) => ({ labels: { server }, value: answerBytes })),
  ),
];
