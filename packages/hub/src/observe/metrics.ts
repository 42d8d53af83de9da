import { isEvent } from '../core/call/event-record.ts';
import type { Observer } from '../core/ports.ts';
import { createAppEvents } from './app-events.ts';
import { callFamilies, countCall, createCallSeries, type CallSeries } from './call-series.ts';
import { renderFamily } from './exposition.ts';
import { numbers, type Family } from './family.ts';

/** There are a few dozen lines per server, and a name may come from a caller: both are bounded. */
const MAX_SERVERS = 1_000;
const MAX_LABEL_LENGTH = 128;

export interface Metrics extends Observer {
  httpRequest(): void;
  /** A request that was refused before it became a call. */
  rejected(status: number): void;
  /** What is read at each scrape. */
  collect(read: () => readonly Family[]): void;
  families(): Family[];
  /** Prometheus' text format. */
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
