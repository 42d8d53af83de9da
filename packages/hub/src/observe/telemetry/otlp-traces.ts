/** The body of a POST to `/v1/traces` (opentelemetry-proto, ExportTraceServiceRequest). */
import { nanos, resourceOf, scopeOf, type Origin } from './otlp-values.ts';
import { attributesOf, errorType, nameOf, newIds, type CallSpan } from './span.ts';
import type { TraceContext } from './trace-context.ts';

const KIND_SERVER = 2;
const STATUS_ERROR = 2;
/** Bits of `flags`: W3C's sampled bit, that the next bit is known, and that the parent is in another process. */
const SAMPLED = 0x01;
const IS_REMOTE_KNOWN = 0x100;
const IS_REMOTE = 0x200;

/** Written by hand: objects for `JSON.stringify` take three times as long. */
export function tracesBody(spans: readonly CallSpan[], origin: Origin): string {
  const about = `"resource":${JSON.stringify(resourceOf(origin))}`;
  const scope = `"scope":${JSON.stringify(scopeOf(origin))}`;
  return `{"resourceSpans":[{${about},"scopeSpans":[{${scope},"spans":[${spans.map(spanText).join(',')}]}]}]}`;
}

function spanText(span: CallSpan): string {
  const { at, durationMs, parent } = span;
  const { traceId, spanId } = newIds(span);
  const flags = SAMPLED | IS_REMOTE_KNOWN | (parent === undefined ? 0 : IS_REMOTE);
  return (
    `{"traceId":"${traceId}","spanId":"${spanId}"${parentText(parent)},"flags":${flags},` +
    `"name":${JSON.stringify(nameOf(span))},"kind":${KIND_SERVER},` +
    `"startTimeUnixNano":"${nanos(at - durationMs)}","endTimeUnixNano":"${nanos(at)}",` +
    `"attributes":[${attributesText(span)}],` +
    `"status":${errorType(span) === undefined ? '{}' : `{"code":${STATUS_ERROR}}`}}`
  );
}

function parentText(parent: TraceContext | undefined): string {
  if (parent === undefined) return '';
  const state = parent.state === '' ? '' : `,"traceState":${JSON.stringify(parent.state)}`;
  return `,"parentSpanId":"${parent.spanId}"${state}`;
}

function attributesText(span: CallSpan): string {
  let text = '';
  for (const [key, value] of attributesOf(span)) {
    if (value === undefined) continue;
    text += `${text === '' ? '' : ','}{"key":"${key}","value":{"stringValue":${JSON.stringify(value)}}}`;
  }
  return text;
}
