import { describe, expect, it } from 'vitest';
import { numbers, type Family } from '../family.ts';
import { createOperationDurations } from './telemetry.ts';
import { metricsBody } from './otlp-metrics.ts';

const ORIGIN = { version: '0.1.0', instance: 'i1' };
const PERIOD = { startedAt: 1_790_000_000_000, now: 1_790_000_060_500 };
const TIMES = { startTimeUnixNano: '1790000000000000000', timeUnixNano: '1790000060500000000' };

const FAMILIES: readonly Family[] = [
  numbers('pincer_calls_total', 'Finished calls by outcome.', [
    { labels: { server: 'github', outcome: 'ok' }, value: 7 },
  ]),
  numbers('process_resident_memory_bytes', 'Resident memory of this process.', 1_048_576),
  {
    name: 'pincer_call_duration_seconds',
    help: 'Time from the request to its outcome.',
    type: 'histogram',
    points: [{ labels: { server: 'github' }, bounds: [0.1, 1], counts: [1, 2, 1], sum: 3.25 }],
  },
];

const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });

/** The output of `@opentelemetry/otlp-transformer` 0.301.0 for the same data, with counts as text, as in the specification. */
const OFFICIAL = [
  {
    name: 'pincer_calls_total',
    description: 'Finished calls by outcome.',
    unit: '',
    sum: {
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: [{ attributes: [text('server', 'github'), text('outcome', 'ok')], ...TIMES, asDouble: 7 }],
    },
  },
  {
    name: 'process_resident_memory_bytes',
    description: 'Resident memory of this process.',
    unit: 'By',
    gauge: { dataPoints: [{ attributes: [], ...TIMES, asDouble: 1_048_576 }] },
  },
  {
    name: 'pincer_call_duration_seconds',
    description: 'Time from the request to its outcome.',
    unit: 's',
    histogram: {
      aggregationTemporality: 2,
      dataPoints: [
        {
          attributes: [text('server', 'github')],
          bucketCounts: ['1', '2', '1'],
          explicitBounds: [0.1, 1],
          count: '4',
          sum: 3.25,
          ...TIMES,
        },
      ],
    },
  },
];

interface Body {
  resourceMetrics: [{ scopeMetrics: [{ metrics: unknown[] }] }];
}
const metricsIn = (families: readonly Family[]): unknown[] =>
  (JSON.parse(metricsBody(families, ORIGIN, PERIOD)) as Body).resourceMetrics[0].scopeMetrics[0].metrics;

describe('metricsBody', () => {
  it('matches the official encoder', () => {
    expect(metricsIn(FAMILIES)).toEqual(OFFICIAL);
  });

  it('omits families without values, and values that JSON cannot express', () => {
    expect(metricsIn([numbers('a', 'A.', []), numbers('b', 'B.', NaN)])).toMatchObject([
      { name: 'b', gauge: { dataPoints: [] } },
    ]);
  });

  it('includes the duration of operations by method, transport and error', () => {
    const durations = createOperationDurations();
    const facts = { at: 0, caller: 'c', server: 's', tool: 't', durationMs: 30, arguments: undefined };
    const ok = { ...facts, surface: 'http', method: 'tools/call', outcome: 'ok', code: undefined } as const;
    durations.callEnded(ok);
    durations.callEnded(ok);
    durations.callEnded({ ...ok, outcome: 'not_executed', code: 'POLICY_DENIED' });
    durations.callEnded({ ...ok, method: 'resources/read', surface: 'stdio' });
    const { points } = durations.family();
    expect(points.map(({ labels }) => labels)).toEqual([
      {
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'network.transport': 'tcp',
      },
      {
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'network.transport': 'tcp',
        'error.type': 'POLICY_DENIED',
      },
      { 'mcp.method.name': 'resources/read', 'network.transport': 'pipe' },
    ]);
    expect(points[0]).toMatchObject({ counts: expect.arrayContaining([2]), sum: 0.06 });
    expect(metricsIn([durations.family()])).toMatchObject([
      { name: 'mcp.server.operation.duration', unit: 's' },
    ]);
  });
});
