/** The trace that a caller's request belongs to: `traceparent` and `tracestate` in `_meta` (MCP 2026-07-28, SEP-414). */
import { detached, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, type Member } from '../../core/wire/members.ts';

export interface TraceContext {
  readonly traceId: string;
  /** Id of the calling span. */
  readonly spanId: string;
  /** The trace's origin wants it recorded. */
  readonly isSampled: boolean;
  readonly state: string;
}

/** W3C Trace Context, 3.2: versions after 00 may have more fields after a dash. `ff` is invalid. */
const PARENT = /^"(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\u0020-\u007e]*)?"$/;
const NOTHING = /^0+$/;
const MAX_PARENT = 256;
const SAMPLED = 1;

/** W3C Trace Context, 3.3: a longer state, or one with other characters, is ignored. */
const STATE = /^"[\u0020\u0021\u0023-\u005b\u005d-\u007e]{1,512}"$/;

/** Returns undefined without a valid context. Copies it, so that the message is not kept alive. */
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
