/** The body of a POST to `/v1/traces` (opentelemetry-proto, ExportTraceServiceRequest). */
import { keyValues, nanos, resourceOf, scopeOf, type Origin } from './otlp-values.ts';
import { attributesOf, errorType, nameOf, newIds, type CallSpan } from './span.ts';

const KIND_SERVER = 2;
const STATUS_ERROR = 2;
/** Bits of `flags`: those of W3C, that the next one is known, and that the parent is in another process. */
const SAMPLED = 0x01;
const IS_REMOTE_KNOWN = 0x100;
const IS_REMOTE = 0x200;

export const tracesBody = (spans: readonly CallSpan[], origin: Origin): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: resourceOf(origin),
        scopeSpans: [{ scope: scopeOf(origin), spans: spans.map(toOtlp) }],
      },
    ],
  });

function toOtlp(span: CallSpan): object {
  const { at, durationMs, parent } = span;
  const { traceId, spanId } = newIds(span);
  return {
    traceId,
    spanId,
    ...(parent && { parentSpanId: parent.spanId }),
    ...(parent?.state && { traceState: parent.state }),
    flags: SAMPLED | IS_REMOTE_KNOWN | (parent === undefined ? 0 : IS_REMOTE),
    name: nameOf(span),
    kind: KIND_SERVER,
    startTimeUnixNano: nanos(at - durationMs),
    endTimeUnixNano: nanos(at),
    attributes: keyValues(attributesOf(span)),
    status: errorType(span) === undefined ? {} : { code: STATUS_ERROR },
  };
}
