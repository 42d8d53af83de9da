/** Observes the hub: the record of calls, metrics, and telemetry if configured. */
import type { Config } from '../config/schema.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Clock, Log, Observer, Store } from '../core/ports.ts';
import { redactArguments } from '../core/redact/redact.ts';
import type { Hub } from '../hub/interface.ts';
import { createAudit, type AuditOptions } from '../observe/audit.ts';
import { addHubGauges } from '../observe/hub-gauges.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { addBuildInfo, addProcessGauges } from '../observe/process-gauges.ts';
import { startTelemetry } from '../observe/telemetry/telemetry.ts';
import type { Retention } from '../store/retention.ts';
import { VERSION } from '../lib/version.ts';

export interface Observation {
  readonly metrics: Metrics;
  readonly observers: readonly Observer[];
  /** Adds gauges of the hub's current work. */
  measure(hub: Hub, sessions: { readonly size: number }): void;
}

export interface ObservationParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
}

/** Starts before the hub and ends after it, so that its last calls are recorded too. */
export function observe(config: Config, parts: ObservationParts, undo: AsyncDisposableStack): Observation {
  const { clock, log, store } = parts;
  const audit = undo.adopt(
    createAudit({ append: (calls) => store.appendCalls(calls), log, arguments: keptOf(config) }),
    (it) => it.close(),
  );
  const metrics = createMetrics();
  addBuildInfo(metrics, VERSION);
  addProcessGauges(metrics);
  const observers: Observer[] = [metrics, audit];
  const { endpoint } = config.telemetry;
  if (endpoint !== undefined) {
    const parts = { clock, log, version: VERSION, families: metrics.families };
    const telemetry = undo.adopt(startTelemetry({ ...config.telemetry, endpoint }, parts), (it) =>
      it.close(),
    );
    metrics.collect(telemetry.families);
    observers.push(telemetry);
  }
  return {
    metrics,
    observers,
    measure(hub, sessions) {
      const { apps } = hub;
      addHubGauges(metrics, {
        now: () => clock.now(),
        callsInFlight: () => hub.callsInFlight,
        slotsInUse: () => hub.slots.inUse,
        streamsOpen: () => hub.slots.streams.inUse,
        sessions: () => sessions.size,
        approvalsWaiting: () => hub.approvals.list().filter(({ state }) => state === 'open').length,
        apps: apps && {
          sessions: () => apps.directory.size,
          bridges: () => apps.bridges.size,
          callsWaiting: () => apps.bridges.waiting(),
        },
        audit,
        servers: () =>
          hub.statuses().map((status) => ({
            ...status,
            tools: hub.catalog.list(status.name).length,
            held: hub.trust.held(status.name).length,
          })),
      });
    },
  };
}

export const retentionOf = ({ store }: Config): Retention => ({
  maxAgeMs: store.keepDays * 24 * 3_600_000,
  maxBytes: store.keepMegabytes * 1_000_000,
});

const keptOf = ({ store, limits }: Config): AuditOptions['arguments'] =>
  store.arguments === 'none'
    ? undefined
    : { redact: redactArguments, maxBytes: limits.maxAuditBytes ?? DEFAULT_LIMITS.maxAuditBytes };
