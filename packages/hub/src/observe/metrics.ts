import { isEvent } from '../core/call/record.ts';
import type { Observer, CallFacts, CallRecord } from '../core/ports.ts';
import { renderFamily } from './exposition.ts';
import { numbers, type Family, createHistogram, type Histogram } from './family.ts';
import type { ErrorCode } from '../core/errors.ts';
import { OUTCOME_KINDS, type OutcomeKind } from '../core/outcome.ts';

/** Each server has a few dozen lines, and a name may come from a caller, so both are bounded. */
const MAX_SERVERS = 1_000;
const MAX_LABEL_LENGTH = 128;

export interface Metrics extends Observer {
  httpRequest(): void;
  /** A request refused before it became a call. */
  rejected(status: number): void;
  /** Adds measurements that are read at each scrape. */
  collect(read: () => readonly Family[]): void;
  families(): Family[];
  /** In Prometheus' text format. */
  render(): string;
}

export function createMetrics(): Metrics {
  const servers = seriesByServer();
  const appEvents = createAppEvents();
  const rejections = new Map<number, number>();
  const readers: (() => readonly Family[])[] = [];
  let httpRequests = 0;

  const families = (): Family[] => [
    ...callFamilies(servers.all()),
    appEvents.family(),
    numbers('pincer_http_requests_total', 'HTTP requests received.', httpRequests),
    numbers(
      'pincer_requests_rejected_total',
      'HTTP requests refused before any call, by status.',
      [...rejections].map(([status, value]) => ({ labels: { status: String(status) }, value })),
    ),
    ...readers.flatMap((read) => read()),
  ];

  return {
    callEnded(record) {
      if (isEvent(record)) appEvents.count(record);
      else countCall(servers.of(record.server), record);
    },
    httpRequest() {
      httpRequests += 1;
    },
    rejected(status) {
      rejections.set(status, (rejections.get(status) ?? 0) + 1);
    },
    collect(read) {
      readers.push(read);
    },
    families,
    render: () => families().map(renderFamily).join(''),
  };
}

function seriesByServer(): { of(server: string): CallSeries; all(): CallSeries[] } {
  const known = new Map<string, CallSeries>();
  const other = createCallSeries('other');
  let othersUsed = false;

  function add(server: string): CallSeries {
    if (known.size >= MAX_SERVERS || server.length > MAX_LABEL_LENGTH || server === 'other') {
      othersUsed = true;
      return other;
    }
    const series = createCallSeries(server);
    known.set(server, series);
    return series;
  }

  return {
    of: (server) => known.get(server) ?? add(server),
    all: () => (othersUsed ? [...known.values(), other] : [...known.values()]),
  };
}

/** Registrations, connects and disconnects of apps. Not by app: clients that need no token could invent any number. */
interface AppEvents {
  count(event: Pick<CallFacts, 'method' | 'outcome'>): void;
  family(): Family;
}

function createAppEvents(): AppEvents {
  const counts = new Map<string, { event: string; outcome: string; value: number }>();
  return {
    count({ method, outcome }) {
      const key = `${method} ${outcome}`;
      const counted = counts.get(key);
      if (counted === undefined) counts.set(key, { event: method, outcome, value: 1 });
      else counted.value += 1;
    },
    family: () =>
      numbers(
        'pincer_app_events_total',
        'Events of apps: registrations, and connects and disconnects of bridges.',
        [...counts.values()].map(({ event, outcome, value }) => ({ labels: { event, outcome }, value })),
      ),
  };
}

/** Seconds. Most calls take milliseconds; a person's approval takes a minute. */
const BOUNDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
] as const;

/** All counters of one server. Looked up once per call. */
interface CallSeries {
  readonly server: string;
  readonly outcomes: Record<OutcomeKind, number>;
  readonly durations: Histogram;
  readonly failures: Map<ErrorCode, number>;
  argumentBytes: number;
  answerBytes: number;
}

const createCallSeries = (server: string): CallSeries => ({
  server,
  outcomes: { ok: 0, tool_error: 0, not_executed: 0, outcome_unknown: 0 },
  durations: createHistogram(BOUNDS),
  failures: new Map(),
  argumentBytes: 0,
  answerBytes: 0,
});

function countCall(series: CallSeries, call: CallRecord): void {
  series.outcomes[call.outcome] += 1;
  series.durations.add(call.durationMs / 1_000);
  series.argumentBytes += call.argumentBytes ?? call.arguments?.length ?? 0;
  series.answerBytes += call.answerBytes ?? 0;
  if (call.code !== undefined) series.failures.set(call.code, (series.failures.get(call.code) ?? 0) + 1);
}

const callFamilies = (all: readonly CallSeries[]): Family[] => [
  numbers(
    'pincer_calls_total',
    'Finished calls by outcome.',
    all.flatMap(({ server, outcomes }) =>
      OUTCOME_KINDS.map((outcome) => ({ labels: { server, outcome }, value: outcomes[outcome] })),
    ),
  ),
  numbers(
    'pincer_call_failures_total',
    'Calls with outcome not_executed or outcome_unknown, by error code.',
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
    'Size of the results and errors from servers.',
    all.map(({ server, answerBytes }) => ({ labels: { server }, value: answerBytes })),
  ),
];
