/** The trace that a caller's request belongs to: `traceparent` and `tracestate` in `_meta` (MCP 2026-07-28, SEP-414). */
import { detached, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, type Member } from '../../core/wire/members.ts';

export interface TraceContext {
  readonly traceId: string;
  /** Of the span that the call was made in. */
  readonly spanId: string;
  /** Whoever began the trace wants it recorded. */
  readonly isSampled: boolean;
  readonly state: string;
}

/** W3C Trace Context, 3.2: versions after 00 may have more after a dash. `ff` is no version. */
const PARENT = /^"(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\u0020-\u007e]*)?"$/;
const NOTHING = /^0+$/;
const MAX_PARENT = 256;
const SAMPLED = 1;

/** W3C Trace Context, 3.3: of a longer one, or one with other characters, nothing is used. */
const STATE = /^"[\u0020\u0021\u0023-\u005b\u005d-\u007e]{1,512}"$/;

/** Undefined: there is none, or none that is valid. A copy: the message that it came in is not kept. */
export function readTraceContext(meta: readonly Member[]): TraceContext | undefined {
  const parent = findMember(meta, 'traceparent');
  if (parent === undefined || parent.length > MAX_PARENT) return undefined;
  const [, version, traceId, spanId, flags, more] = PARENT.exec(detached(parent)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0;
  return { traceId, spanId, isSampled, state: readState(findMember(meta, 'tracestate')) };
}

const readState = (raw: ByteText | undefined): string =>
  raw !== undefined && STATE.test(raw) ? detached(raw).slice(1, -1) : '';
