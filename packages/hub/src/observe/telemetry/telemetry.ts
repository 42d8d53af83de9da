/** Traces and metrics of the hub over OTLP/HTTP with JSON (ADR 0023). Never in the way of a call. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isEvent } from '../../core/call/event-record.ts';
import type { Clock, Log, Observer } from '../../core/ports.ts';
import { numbers, type Family } from '../family.ts';
import { createDelivery } from './delivery.ts';
import { createOperationDurations } from './operation-durations.ts';
import { metricsBody } from './otlp-metrics.ts';
import { tracesBody } from './otlp-traces.ts';
import type { Origin } from './otlp-values.ts';
import { createSender } from './sender.ts';
import { toSpan } from './span.ts';
import { createSpanQueue } from './span-queue.ts';

export interface TelemetrySettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly intervalMs: number;
  /** Share of calls that are traced, of those that belong to no trace yet. */
  readonly sample: number;
}

export interface TelemetryParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** All that is measured. */
  families(): readonly Family[];
  /** How long what waits may take when it is closed. */
  readonly closeMs?: number;
}

export interface Telemetry extends Observer {
  /** What it says of itself. */
  families(): Family[];
  /** Sends what waits, for two seconds at most. */
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

  /** One at a time: a collector that is slow gets fewer. */
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
      numbers('pincer_telemetry_sent_total', 'Spans and data points that the collector took.', [
        { labels: { signal: 'traces' }, value: traces.sent },
        { labels: { signal: 'metrics' }, value: metrics.sent },
      ]),
      numbers('pincer_telemetry_dropped_total', 'Spans and data points that never got there.', [
        { labels: { signal: 'traces' }, value: traces.dropped },
        { labels: { signal: 'metrics' }, value: metrics.dropped },
      ]),
      numbers('pincer_telemetry_spans_waiting', 'Spans that are to be sent.', spans.waiting),
    ],
    async close() {
      clearInterval(timer);
      ending.abort();
      const enough = new AbortController();
      const tooLong = sleep(parts.closeMs ?? CLOSE_MS, undefined, { signal: enough.signal }).catch(
        () => undefined,
      );
      await Promise.race([sendTheRest(), tooLong]);
      enough.abort();
      await sender.close();
    },
  };
}
