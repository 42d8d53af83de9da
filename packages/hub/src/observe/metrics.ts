import type { Observer } from '../core/ports.ts';
import { countCall, createCallSeries, renderCalls, type CallSeries } from './call-series.ts';
import { heading, labelPairs, sample, type Labels } from './exposition.ts';

/** A scrape holds about twenty lines per server, and a name may come from a caller: both are bounded. */
const MAX_SERVERS = 1_000;
const MAX_LABEL_LENGTH = 128;

interface GaugeSample {
  readonly labels: Labels;
  readonly value: number;
}

type ReadGauge = () => number | readonly GaugeSample[];

export interface Metrics extends Observer {
  httpRequest(): void;
  /** A request that was refused before it became a call. */
  rejected(status: number): void;
  /** A value that is read at each scrape; a name that ends in `_total` is declared a counter. */
  gauge(name: string, help: string, read: ReadGauge): void;
  /** Exposition format 0.0.4. */
  render(): string;
}

export function createMetrics(): Metrics {
  const servers = seriesByServer();
  const rejections = new Map<number, { count: number }>();
  const gauges = new Map<string, { help: string; read: ReadGauge }>();
  let httpRequests = 0;

  return {
    callEnded: (record) => countCall(servers.of(record.server), record),
    httpRequest() {
      httpRequests += 1;
    },
    rejected(status) {
      const rejection = rejections.get(status);
      if (rejection === undefined) rejections.set(status, { count: 1 });
      else rejection.count += 1;
    },
    gauge(name, help, read) {
      gauges.set(name, { help, read });
    },
    render: () =>
      renderCalls(servers.all()) +
      heading('pincer_http_requests_total', 'counter', 'HTTP requests received.') +
      sample('pincer_http_requests_total', '', httpRequests) +
      heading('pincer_requests_rejected_total', 'counter', 'HTTP requests refused before any call.') +
      [...rejections].map(([status, { count }]) => rejectedSample(status, count)).join('') +
      [...gauges].map(([name, { help, read }]) => renderGauge(name, help, read())).join(''),
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

const rejectedSample = (status: number, count: number): string =>
  sample('pincer_requests_rejected_total', labelPairs({ status: String(status) }), count);

function renderGauge(name: string, help: string, read: number | readonly GaugeSample[]): string {
  const samples = typeof read === 'number' ? [{ labels: {}, value: read }] : read;
  return (
    heading(name, name.endsWith('_total') ? 'counter' : 'gauge', help) +
    samples.map(({ labels, value }) => sample(name, labelPairs(labels), value)).join('')
  );
}
