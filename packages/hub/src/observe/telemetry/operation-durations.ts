/** `mcp.server.operation.duration`: the one measurement that OpenTelemetry's conventions for MCP ask of a server. */
import type { CallRecord, Observer } from '../../core/ports.ts';
import type { Family, Labels } from '../family.ts';
import { createHistogram, type Histogram } from '../histogram.ts';
import { errorType, operationOf, transportOf } from './span.ts';

/** Seconds, as the conventions advise. */
const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] as const;

interface Series {
  readonly labels: Labels;
  readonly durations: Histogram;
}

export interface OperationDurations extends Observer {
  family(): Family;
}

/** By method, transport and error: all of these are few. Not by tool, of which there may be thousands. */
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
