/**
 * The JSON mapping of OTLP, as far as a hub uses it (opentelemetry-proto: trace.proto, metrics.proto, and "JSON
 * Protobuf Encoding" of its specification): ids in hexadecimal, 64-bit numbers as text, enums as numbers.
 */
import { list, number, object, oneOf, text, type Check } from './shape.ts';

const nanos = text(/^[1-9]\d{18}$/);
const count = text(/^\d+$/);
const attributes = list(object({ key: text(), value: object({ stringValue: text(/^/) }) }));
const resource = object({ attributes: list((value, place, wrong) => attributes([value], place, wrong), 1) });
const scope = object({ name: text(), version: text() });

const span = object({
  traceId: text(/^(?!0{32})[0-9a-f]{32}$/),
  spanId: text(/^(?!0{16})[0-9a-f]{16}$/),
  'parentSpanId?': text(/^(?!0{16})[0-9a-f]{16}$/),
  'traceState?': text(),
  flags: oneOf(0x101, 0x301),
  name: text(),
  kind: oneOf(1, 2, 3, 4, 5),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  status: object({ 'code?': oneOf(0, 1, 2), 'message?': text() }),
});

export const tracesShape: Check = object({
  resourceSpans: list(object({ resource, scopeSpans: list(object({ scope, spans: list(span, 1) }), 1) }), 1),
});

const moment = { attributes, startTimeUnixNano: nanos, timeUnixNano: nanos };
const points = list(object({ ...moment, asDouble: number }));
const cumulative = { aggregationTemporality: oneOf(2) };

const metric = object({
  name: text(/^[A-Za-z][\w.\-/]{0,254}$/),
  description: text(),
  unit: text(/^.{0,63}$/),
  'gauge?': object({ dataPoints: points }),
  'sum?': object({ ...cumulative, isMonotonic: oneOf(true), dataPoints: points }),
  'histogram?': object({
    ...cumulative,
    dataPoints: list(
      object({ ...moment, count, sum: number, bucketCounts: list(count), explicitBounds: list(number) }),
    ),
  }),
});

export const metricsShape: Check = object({
  resourceMetrics: list(
    object({ resource, scopeMetrics: list(object({ scope, metrics: list(metric, 1) }), 1) }),
    1,
  ),
});
