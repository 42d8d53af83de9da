/** Traces and metrics over OTLP/HTTP with JSON (ADR 0023). Never delays a call. */
import { isEvent } from '../../core/call/record.ts';
import type { Clock, Log, Observer, CallRecord } from '../../core/ports.ts';
import { within } from '../../lib/time.ts';
import { numbers, type Family, type Labels, createHistogram, type Histogram } from '../family.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { metricsBody } from './otlp-metrics.ts';
import { tracesBody } from './otlp-traces.ts';
import type { Origin } from './otlp-values.ts';
import { createSender } from './sender.ts';
import { toSpan, errorType, operationOf, transportOf, type CallSpan } from './span.ts';

export interface TelemetrySettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly intervalMs: number;
  /** Traced share of the calls that belong to no trace yet. */
  readonly sample: number;
}

export interface TelemetryParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** All measurements. */
  families(): readonly Family[];
  /** How long sending the rest may take on close. */
  readonly closeMs?: number;
}

export interface Telemetry extends Observer {
  /** Its own metrics. */
  families(): Family[];
  /** Sends the queued data, for two seconds at most. */
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;

export function startTelemetry(settings: TelemetrySettings, parts: TelemetryParts): Telemetry {
  const { clock, log } = parts;
  const origin: Origin = { version: parts.version, instance: crypto.randomUUID() };
  const startedAt = clock.now();
  const ending = new AbortController();
  const sender = createSender({ ...settings, now: () => clock.now() });
  const delivery = { sender, log, ending: ending.signal };
  const traces = createDelivery({ ...delivery, signal: 'traces' });
  const metrics = createDelivery({ ...delivery, signal: 'metrics' });
  const durations = createOperationDurations();
  const spans = createSpanQueue({
    delivery: traces,
    maxDelayMs: settings.intervalMs,
    encode: (batch) => tracesBody(batch, origin),
  });
  let pushing: Promise<void> | undefined;

  async function push(): Promise<void> {
    const families = [...parts.families(), durations.family()];
    const points = families.reduce((all, family) => all + family.points.length, 0);
    await metrics.deliver(metricsBody(families, origin, { startedAt, now: clock.now() }), points);
  }

  /** One at a time: a slow collector gets fewer. */
  const pushOnce = (): Promise<void> =>
    (pushing ??= push()
      .catch((error: unknown) => log.warn('metrics could not be read', { error }))
      .finally(() => (pushing = undefined)));

  const timer = settings.metrics
    ? setInterval(() => void pushOnce(), settings.intervalMs).unref()
    : undefined;

  async function sendTheRest(): Promise<void> {
    await spans.drain();
    if (settings.metrics) {
      await pushing;
      await pushOnce();
    }
  }

  return {
    callEnded(record) {
      if (isEvent(record)) return;
      durations.callEnded(record);
      const span = settings.traces ? toSpan(record, settings.sample) : undefined;
      if (span !== undefined) spans.add(span);
    },
    families: () => [
      numbers('pincer_telemetry_sent_total', 'Spans and data points accepted by the collector.', [
        { labels: { signal: 'traces' }, value: traces.sent },
        { labels: { signal: 'metrics' }, value: metrics.sent },
      ]),
      numbers('pincer_telemetry_dropped_total', 'Spans and data points that were dropped.', [
        { labels: { signal: 'traces' }, value: traces.dropped },
        { labels: { signal: 'metrics' }, value: metrics.dropped },
      ]),
      numbers('pincer_telemetry_spans_waiting', 'Spans waiting to be sent.', spans.waiting),
    ],
    async close() {
      clearInterval(timer);
      ending.abort();
      await within(sendTheRest(), parts.closeMs ?? CLOSE_MS);
      await sender.close();
    },
  };
}

/** Seconds, as recommended by the conventions. */
const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] as const;

interface Series {
  readonly labels: Labels;
  readonly durations: Histogram;
}

interface OperationDurations extends Observer {
  family(): Family;
}

/**
 * `mcp.server.operation.duration`: the one metric that OpenTelemetry's conventions for MCP require of a server. By method,
 * transport and error, which have few values. Not by tool, because there may be thousands.
 */
export function createOperationDurations(): OperationDurations {
  const series = new Map<string, Series>();

  function add(key: string, call: CallRecord): Series {
    const labels = Object.fromEntries(
      [
        ['mcp.method.name', call.method],
        ['gen_ai.operation.name', operationOf(call)],
        ['network.transport', transportOf(call)],
        ['error.type', errorType(call)],
      ].filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    const created = { labels, durations: createHistogram(BOUNDS) };
    series.set(key, created);
    return created;
  }

  return {
    callEnded(call) {
      const key = `${call.method} ${transportOf(call)} ${errorType(call) ?? ''}`;
      (series.get(key) ?? add(key, call)).durations.add(call.durationMs / 1_000);
    },
    family: () => ({
      name: 'mcp.server.operation.duration',
      help: 'Time from the request to its outcome.',
      type: 'histogram',
      points: [...series.values()].map(({ labels, durations }) => durations.point(labels)),
    }),
  };
}

const MAX_WAITING = 8_192;
/** About half a megabyte. */
const BATCH = 1_024;
const MAX_DELAY_MS = 5_000;

interface SpanQueue {
  readonly waiting: number;
  add(span: CallSpan): void;
  /** Sends the whole queue now. Resolves when it was delivered or dropped. */
  drain(): Promise<void>;
}

interface SpanQueueParts {
  readonly delivery: Delivery;
  readonly maxDelayMs: number;
  encode(spans: readonly CallSpan[]): string;
}

/** A bounded queue of spans, sent in batches, one batch at a time. */
function createSpanQueue({ delivery, maxDelayMs, encode }: SpanQueueParts): SpanQueue {
  const delayMs = Math.min(maxDelayMs, MAX_DELAY_MS);
  let spans: CallSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let draining: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (spans.length > 0) {
      const batch = spans.slice(0, BATCH);
      spans = spans.slice(BATCH);
      await delivery.deliver(encode(batch), batch.length);
    }
  }

  function drain(): Promise<void> {
    clearTimeout(timer);
    clearImmediate(immediate);
    timer = undefined;
    immediate = undefined;
    draining ??= sendAll().finally(() => (draining = undefined));
    return draining;
  }

  return {
    get waiting() {
      return spans.length;
    },
    add(span) {
      if (spans.length >= MAX_WAITING) return delivery.drop(1);
      spans.push(span);
      if (draining !== undefined) return;
      if (spans.length < BATCH) timer ??= setTimeout(() => void drain(), delayMs).unref();
      else immediate ??= setImmediate(() => void drain()).unref();
    },
    drain,
  };
}
