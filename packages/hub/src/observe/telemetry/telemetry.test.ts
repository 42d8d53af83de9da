import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventRecord } from '../../core/call/record.ts';
import type { CallRecord, Log, LogFields } from '../../core/ports.ts';
import { numbers } from '../family.ts';
import { startTelemetry, type Telemetry, type TelemetrySettings } from './telemetry.ts';

const call: CallRecord = {
  at: 1_790_000_000_123,
  caller: 'c',
  surface: 'http',
  server: 'github',
  method: 'tools/call',
  tool: 'x',
  outcome: 'ok',
  code: undefined,
  durationMs: 1,
  arguments: undefined,
};

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse, count: number) => void;

describe('startTelemetry', () => {
  let received: Received[];
  let answer: Answer;
  let origin: string;
  let telemetry: Telemetry | undefined;
  let lines: [string, LogFields | undefined][];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      received.push({ path: request.url, headers: request.headers, body: body.toString() });
      answer(response, received.length);
    });
  });

  const start = (settings: Partial<TelemetrySettings> = {}, closeMs?: number): Telemetry => {
    const note = (message: string, fields?: LogFields): number => lines.push([message, fields]);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    telemetry = startTelemetry(
      {
        endpoint: origin,
        headers: {},
        traces: true,
        metrics: false,
        intervalMs: 5,
        sample: 1,
        ...settings,
      },
      {
        ...(closeMs !== undefined && { closeMs }),
        clock: { now: () => Date.now(), elapsed: () => performance.now() },
        log,
        version: '0.1.0',
        families: () => [numbers('pincer_a', 'A.', 1)],
      },
    );
    return telemetry;
  };
  const count = (name: string, signal = 'traces'): number | undefined => {
    const family = telemetry!.families().find((it) => it.name === `pincer_telemetry_${name}`);
    const point = family?.points.find(({ labels }) => labels['signal'] === signal);
    return point !== undefined && 'value' in point ? point.value : undefined;
  };
  const spansIn = ({ body }: Received): number => body.split('"spanId"').length - 1;

  beforeEach(async () => {
    received = [];
    lines = [];
    answer = (response) => response.end('{}');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await telemetry?.close();
    telemetry = undefined;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('sends spans to the path below the endpoint, with its headers', async () => {
    start({ endpoint: `${origin}/otlp/?tenant=1`, headers: { 'x-api-key': 'k' } }).callEnded(call);
    await expect.poll(() => received.length).toBe(1);
    expect(received[0]?.path).toBe('/otlp/v1/traces?tenant=1');
    expect(received[0]?.headers).toMatchObject({ 'x-api-key': 'k', 'content-type': 'application/json' });
    expect(JSON.parse(received[0]!.body)).toHaveProperty('resourceSpans');
    await expect.poll(() => count('sent_total')).toBe(1);
  });

  it('sends no events of apps, only calls', async () => {
    start();
    const event = { at: 0, caller: 'web', app: 'web', session: 'ab' } as const;
    telemetry!.callEnded(eventRecord({ ...event, method: 'bridge/connect', outcome: 'ok' }));
    telemetry!.callEnded(call);
    await expect.poll(() => received.length).toBe(1);
    expect(spansIn(received[0]!)).toBe(1);
    expect(received[0]!.body).not.toContain('bridge/connect');
  });

  it('compresses a long body', async () => {
    start();
    for (let index = 0; index < 100; index += 1) telemetry!.callEnded(call);
    await expect.poll(() => received.length).toBe(1);
    expect(received[0]?.headers['content-encoding']).toBe('gzip');
    expect(spansIn(received[0]!)).toBe(100);
  });

  it('pushes all metrics periodically', async () => {
    start({ metrics: true, traces: false }).callEnded(call);
    await expect.poll(() => received.length).toBeGreaterThan(2);
    expect(new Set(received.map(({ path }) => path))).toEqual(new Set(['/v1/metrics']));
    expect(received[0]?.body).toContain('"pincer_a"');
    expect(received[0]?.body).toContain('"mcp.server.operation.duration"');
  });

  it('retries once if the collector is busy', async () => {
    answer = (response, times) =>
      times === 1 ? response.writeHead(503, { 'retry-after': '0' }).end() : response.end('{}');
    start().callEnded(call);
    await expect.poll(() => count('sent_total')).toBe(1);
    expect(received).toHaveLength(2);
    expect([count('dropped_total'), lines]).toEqual([0, []]);
  });

  it('drops and counts refused data, and logs it once until a delivery succeeds', async () => {
    answer = (response) => response.writeHead(400).end();
    start().callEnded(call);
    await expect.poll(() => count('dropped_total')).toBe(1);
    telemetry!.callEnded(call);
    await expect.poll(() => count('dropped_total')).toBe(2);
    expect(received).toHaveLength(2);
    expect(lines).toEqual([
      ['telemetry cannot be delivered and is dropped', { signal: 'traces', reason: 'status 400' }],
    ]);
    answer = (response) => response.end('{}');
    telemetry!.callEnded(call);
    await expect.poll(() => count('sent_total')).toBe(1);
    answer = (response) => response.writeHead(500).end();
    telemetry!.callEnded(call);
    await expect.poll(() => lines.length).toBe(2);
  });

  it('follows no redirect, because its headers are for this collector', async () => {
    answer = (response) => response.writeHead(307, { location: `${origin}/elsewhere` }).end();
    start({ headers: { authorization: 'Bearer s3' } }).callEnded(call);
    await expect.poll(() => count('dropped_total')).toBe(1);
    expect(received.map(({ path }) => path)).toEqual(['/v1/traces']);
  });

  it('counts partial rejections', async () => {
    answer = (response) => response.end('{"partialSuccess":{"rejectedSpans":"1"}}');
    start();
    for (let index = 0; index < 3; index += 1) telemetry!.callEnded(call);
    await expect.poll(() => count('dropped_total')).toBe(1);
    expect(count('sent_total')).toBe(2);
  });

  it('queues at most 8,192 spans for an unresponsive collector', async () => {
    answer = () => undefined;
    start();
    for (let index = 0; index < 1_024; index += 1) telemetry!.callEnded(call);
    await expect.poll(() => received.length).toBe(1);
    for (let index = 0; index < 10_000; index += 1) telemetry!.callEnded(call);
    expect(count('dropped_total')).toBe(10_000 - 8_192);
    expect(spansIn(received[0]!)).toBe(1_024);
  });

  it('survives an endless answer', async () => {
    answer = (response) => void response.write('x'.repeat(1_000_000));
    start().callEnded(call);
    await expect.poll(() => count('sent_total')).toBe(1);
  });

  it('sends the rest on close', async () => {
    // On a busy machine two seconds may not be enough for so many spans.
    start({ intervalMs: 60_000, metrics: true }, 60_000);
    for (let index = 0; index < 2_000; index += 1) telemetry!.callEnded(call);
    await telemetry!.close();
    const traces = received.filter(({ path }) => path === '/v1/traces');
    expect(traces.reduce((all, it) => all + spansIn(it), 0)).toBe(2_000);
    expect(received.at(-1)?.path).toBe('/v1/metrics');
  });

  it('closes quickly without an answer', async () => {
    answer = () => undefined;
    start({ intervalMs: 60_000 }).callEnded(call);
    await telemetry!.close();
    await expect.poll(() => count('dropped_total')).toBe(1);
  });

  it('survives an unreachable collector', async () => {
    start({ endpoint: 'http://127.0.0.1:1', intervalMs: 60_000 }).callEnded(call);
    await telemetry!.close();
    expect(count('dropped_total')).toBe(1);
    expect(lines).toHaveLength(1);
  });
});
