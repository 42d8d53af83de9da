/** A collector of OpenTelemetry data over OTLP/HTTP with JSON that validates everything it receives. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { metricsShape, tracesShape } from './otlp-shape.ts';
import { wrongIn } from './shape.ts';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string>;
  status: { code?: number };
}

export interface CollectedMetric {
  name: string;
  unit: string;
  points: { attributes: Record<string, string>; value: number }[];
}

export interface Collector extends AsyncDisposable {
  url: string;
  /** Violations of OTLP. */
  wrong: string[];
  headers: IncomingHttpHeaders[];
  /** All request bodies, unchanged. */
  bodies: string[];
  spans(): CollectedSpan[];
  /** The metric as last received. */
  metric(name: string): CollectedMetric | undefined;
  /** How it answers from now on. */
  answer: { status: number; headers?: Record<string, string> };
}

type Attributes = { key: string; value: { stringValue: string } }[];
interface Points {
  dataPoints: { attributes: Attributes; asDouble?: number; count?: string }[];
}
interface Body {
  resourceSpans?: {
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes'> & { attributes: Attributes })[] }[];
  }[];
  resourceMetrics?: {
    scopeMetrics: {
      metrics: { name: string; unit: string; sum?: Points; gauge?: Points; histogram?: Points }[];
    }[];
  }[];
}

const SHAPES = new Map([
  ['/v1/traces', tracesShape],
  ['/v1/metrics', metricsShape],
]);

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const wrong: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const shape = SHAPES.get(request.url ?? '');
      if (shape === undefined || request.method !== 'POST') wrong.push(`${request.method} ${request.url}`);
      else wrong.push(...wrongIn(JSON.parse(body), shape));
      if (request.headers['content-type'] !== 'application/json') wrong.push('not application/json');
      headers.push(request.headers);
      bodies.push(body);
      response.writeHead(collector.answer.status, collector.answer.headers).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const parsed = (): Body[] => bodies.map((body) => JSON.parse(body) as Body);
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    wrong,
    headers,
    bodies,
    answer: { status: 200 },
    spans: () =>
      parsed()
        .flatMap(({ resourceSpans = [] }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span) => ({ ...span, attributes: plain(span.attributes) })),
    metric: (name) =>
      parsed()
        .flatMap(({ resourceMetrics = [] }) => resourceMetrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics)
        .filter((metric) => metric.name === name)
        .map(({ unit, sum, gauge, histogram }) => ({
          name,
          unit,
          points: pointsOf(sum ?? gauge ?? histogram),
        }))
        .at(-1),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

async function read(request: IncomingMessage): Promise<string> {
  const bytes = Buffer.concat(await request.toArray());
  return (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

const plain = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

/** For a histogram, the number of values. */
const pointsOf = (points: Points | undefined): CollectedMetric['points'] =>
  (points?.dataPoints ?? []).map(({ attributes, asDouble, count }) => ({
    attributes: plain(attributes),
    value: asDouble ?? Number(count),
  }));
