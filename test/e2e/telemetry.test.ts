/** Traces and metrics over OTLP, to a collector that validates them. */
import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, parseAnswer, textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { startCollector, type Collector, type CollectedSpan } from '../servers/collector/collector.ts';
import { tracesShape } from '../servers/collector/otlp-shape.ts';
import { wrongIn } from '../servers/collector/shape.ts';
import { verifies } from '../verifies.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const start = (collector: Collector, telemetry: object = {}): Promise<TestHub> =>
  startHub({
    servers: { pipe: stdioServer({}, { policy: { fail: 'deny' } }) },
    config: { telemetry: { endpoint: collector.url, intervalMs: 50, ...telemetry } },
    env: { COLLECTOR_TOKEN: 's3' },
  });

async function spansOf(collector: Collector, count: number): Promise<CollectedSpan[]> {
  expect(await eventually(() => collector.spans().length >= count)).toBe(true);
  return collector.spans();
}

it("every call is a child span of the client's span, without its content", async () => {
  await using collector = await startCollector();
  await using hub = await start(collector, { headers: { authorization: 'Bearer $COLLECTOR_TOKEN' } });
  const meta = `"traceparent":"${PARENT}","tracestate":"rojo=1"`;
  const args = { message: 'a-very-secret-text' };
  expect((await hub.call('pipe__echo', args, { meta })).error).toBeUndefined();
  await hub.call('pipe__fail', {}, { era: 'modern' });
  const [echo, denied] = await spansOf(collector, 2);
  expect(echo).toMatchObject({
    traceId: TRACE,
    parentSpanId: '00f067aa0ba902b7',
    traceState: 'rojo=1',
    name: 'tools/call echo',
    kind: 2,
    status: {},
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'echo',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'tcp',
      'pincer.server': 'pipe',
      'pincer.caller': 'local',
      'pincer.outcome': 'ok',
    },
  });
  expect(BigInt(echo!.endTimeUnixNano)).toBeGreaterThan(BigInt(echo!.startTimeUnixNano));
  expect(denied).toMatchObject({
    name: 'tools/call fail',
    status: { code: 2 },
    attributes: { 'error.type': 'POLICY_DENIED', 'mcp.protocol.version': '2026-07-28' },
  });
  expect(denied).not.toHaveProperty('parentSpanId');
  expect(denied!.traceId).not.toBe(TRACE);
  expect(collector.bodies.join('')).not.toContain('a-very-secret-text');
  expect(new Set(collector.headers.map(({ authorization }) => authorization))).toEqual(
    new Set(['Bearer s3']),
  );
  expect(collector.wrong).toEqual([]);
});

it("passes the client's trace context to the server unchanged", async () => {
  await using collector = await startCollector();
  await using hub = await start(collector);
  const meta = `"traceparent":"${PARENT}","tracestate":"rojo=1","baggage":"user=me"`;
  expect(textOf(await hub.call('pipe__meta', {}, { meta }))).toBe(`{${meta}}`);
});

it('exports the metrics of /metrics under the same names, and the one of the conventions', async () => {
  verifies('004-16-opentelemetry', '004-16-metrics');
  await using collector = await startCollector();
  await using hub = await start(collector, { traces: false });
  for (let index = 0; index < 3; index += 1) await hub.call('pipe__echo', { message: 'x' });
  const calls = (): number | undefined =>
    collector
      .metric('pincer_calls_total')
      ?.points.find(({ attributes }) => attributes['server'] === 'pipe' && attributes['outcome'] === 'ok')
      ?.value;
  expect(await eventually(() => calls() === 3)).toBe(true);
  expect(collector.metric('mcp.server.operation.duration')).toEqual({
    name: 'mcp.server.operation.duration',
    unit: 's',
    points: [
      {
        attributes: {
          'mcp.method.name': 'tools/call',
          'gen_ai.operation.name': 'execute_tool',
          'network.transport': 'tcp',
        },
        value: 3,
      },
    ],
  });
  const { body } = await hub.post('', { path: '/metrics', method: 'GET' });
  expect(body).toContain('pincer_calls_total{server="pipe",outcome="ok"} 3\n');
  expect(body).toContain('pincer_call_duration_seconds_count{server="pipe"} 3\n');
  const scraped = [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  expect(scraped.filter((name) => collector.metric(name) === undefined && hasSamples(body, name))).toEqual(
    [],
  );
  expect(collector.spans()).toEqual([]);
  expect(collector.wrong).toEqual([]);
});

const hasSamples = (body: string, name: string): boolean =>
  new RegExp(`^${name}(_count)?[ {]`, 'm').test(body);

it('sends pending data when the hub stops', async () => {
  await using collector = await startCollector();
  await using hub = await start(collector, { intervalMs: 3_600_000 });
  await hub.call('pipe__echo', { message: 'x' });
  expect(collector.bodies).toEqual([]);
  expect(await hub.stop()).toBe(0);
  expect(collector.spans()).toHaveLength(1);
  expect(collector.metric('pincer_calls_total')).toBeDefined();
  expect(collector.wrong).toEqual([]);
});

it('a refusing or missing collector loses data, but no call', async () => {
  await using collector = await startCollector();
  collector.answer = { status: 500 };
  await using hub = await start(collector, { metrics: false });
  await hub.call('pipe__echo', { message: 'x' });
  const dropped = async (): Promise<boolean> => {
    const { body } = await hub.post('', { path: '/metrics', method: 'GET' });
    return body.includes('pincer_telemetry_dropped_total{signal="traces"} 1\n');
  };
  expect(await eventually(dropped)).toBe(true);
  await collector[Symbol.asyncDispose]();
  const answer = parseAnswer(
    (await hub.post(callText('pipe__echo', { args: '{"message":"y"}' }))).messages.at(-1)!,
  );
  expect(answer.error).toBeUndefined();
  expect(hub.stderr().split('telemetry cannot be delivered')).toHaveLength(2);
});

it('the collector accepts a span of the specification, and rejects an invalid one', () => {
  const span = {
    traceId: TRACE,
    spanId: 'eee19b7ec3c1b174',
    flags: 257,
    name: 'x',
    kind: 2,
    startTimeUnixNano: '1544712660000000000',
    endTimeUnixNano: '1544712661000000000',
    attributes: [{ key: 'my.span.attr', value: { stringValue: 'some value' } }],
    status: {},
  };
  const wrong = (changes: object): string[] => {
    const scopeSpans = [{ scope: { name: 'a', version: '1' }, spans: [{ ...span, ...changes }] }];
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'a' } }] };
    return wrongIn({ resourceSpans: [{ resource, scopeSpans }] }, tracesShape);
  };
  expect(wrong({})).toEqual([]);
  expect(wrong({ kind: 'SPAN_KIND_SERVER' })).toHaveLength(1);
  expect(wrong({ startTimeUnixNano: 1_544_712_660_000 })).toHaveLength(1);
  expect(wrong({ traceId: 'W47/95gDgQPSabYzgT/GDA==' })).toHaveLength(1);
  expect(wrong({ arguments: '{}' })).toHaveLength(1);
  expect(wrong({ name: undefined })).toHaveLength(1);
});

it('sends nothing without an endpoint', async () => {
  await using hub = await startHub({ servers: { pipe: stdioServer() } });
  await hub.call('pipe__echo', { message: 'x' }, { meta: `"traceparent":"${PARENT}"` });
  const { body } = await hub.post('', { path: '/metrics', method: 'GET' });
  expect(body).not.toContain('pincer_telemetry');
});
