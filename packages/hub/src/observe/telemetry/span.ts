/** One call as a span, after OpenTelemetry's conventions for MCP (semantic-conventions-genai, development). */
import type { CallFacts, CallRecord } from '../../core/ports.ts';
import { META_KEY, SUPPORTED_VERSIONS } from '../../core/protocol.ts';
import { findMember } from '../../core/wire/members.ts';
import { factsOf } from '../audit.ts';
import { readTraceContext, type TraceContext } from './trace-context.ts';

/** The queued data of one call: no arguments, no results. */
export interface CallSpan extends CallFacts {
  readonly session: string | undefined;
  readonly version: string | undefined;
  readonly parent: TraceContext | undefined;
}

/**
 * Returns undefined if this call is not traced. The origin of a trace decides. For calls without a trace, `sample` is the
 * recorded share.
 */
export function toSpan(record: CallRecord, sample: number): CallSpan | undefined {
  const { meta = [], session } = record;
  const parent = meta.length === 0 ? undefined : readTraceContext(meta);
  if (parent === undefined ? Math.random() >= sample : !parent.isSampled) return undefined;
  const raw = findMember(meta, META_KEY.protocolVersion);
  const version = SUPPORTED_VERSIONS.find((known) => raw === `"${known}"`);
  return { ...factsOf(record), session, version, parent };
}

export type Attribute = readonly [name: string, value: string | undefined];

/** The kind of error. A server's own error is `tool_error`, as in the conventions. */
export const errorType = ({ outcome, code }: Pick<CallFacts, 'outcome' | 'code'>): string | undefined =>
  outcome === 'ok' ? undefined : (code ?? outcome);

/** The transport of MCP: HTTP or a pipe. */
export const transportOf = ({ surface }: Pick<CallFacts, 'surface'>): string =>
  surface === 'stdio' ? 'pipe' : 'tcp';

export const operationOf = ({ method }: Pick<CallFacts, 'method'>): string | undefined =>
  method === 'tools/call' ? 'execute_tool' : undefined;

export function nameOf({ method, tool }: CallFacts): string {
  return method === 'tools/call' || method === 'prompts/get' ? `${method} ${tool}` : method;
}

export const attributesOf = (span: CallSpan): Attribute[] => [
  ['mcp.method.name', span.method],
  ...targetOf(span),
  ['gen_ai.operation.name', operationOf(span)],
  ['mcp.protocol.version', span.version],
  // If an app's tools can be called without a token, the session id alone grants access.
  ['mcp.session.id', span.surface === 'proxy' ? undefined : span.session],
  ['network.transport', transportOf(span)],
  ['network.protocol.name', span.surface === 'http' ? 'http' : undefined],
  ['error.type', errorType(span)],
  ['pincer.server', span.server],
  ['pincer.caller', span.caller],
  ['pincer.surface', span.surface],
  ['pincer.outcome', span.outcome],
];

function targetOf({ method, tool }: CallSpan): Attribute[] {
  if (method === 'tools/call') return [['gen_ai.tool.name', tool]];
  if (method === 'prompts/get') return [['gen_ai.prompt.name', tool]];
  return method.startsWith('resources/') ? [['mcp.resource.uri', withoutSecrets(tool)]] : [];
}

/** URIs have passwords before the host, and tokens in the query. */
const withoutSecrets = (uri: string): string =>
  uri.replace(/[?#][^]*$/, '').replace(/^([a-z][\w+.-]*:\/\/)[^/]*@/i, '$1');

export const newIds = ({ parent }: CallSpan): { traceId: string; spanId: string } => ({
  traceId: parent?.traceId ?? traceId(),
  spanId: spanId(),
});

/** Ids of traces and spans are drawn in bulk: one at a time costs as much as the rest of a span. */
const BATCH_BYTES = 4_096;
let batch = '';
let next = 0;

function take(digits: number): string {
  if (next + digits > batch.length) {
    batch = Buffer.from(crypto.getRandomValues(new Uint8Array(BATCH_BYTES))).toString('hex');
    next = 0;
  }
  return batch.slice(next, (next += digits));
}

const traceId = (): string => take(32);
const spanId = (): string => take(16);
