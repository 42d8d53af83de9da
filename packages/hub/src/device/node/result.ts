/** What became of a call, as a node answers its gateway. */
import type { ErrorCode, PincerError } from '../../core/errors.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { Outcome } from '../../core/outcome.ts';
import { FAILURE_CODE_KEY } from '../../core/protocol.ts';
import { textAt } from '../../lib/text-at.ts';
import { fromByteText, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, readMembers } from '../../core/wire/members.ts';
import type { InvocationFailure, InvocationResult } from './parts.ts';
import { CALL_COMMAND } from './published.ts';

export function resultOf(outcome: Outcome, command: string): InvocationResult {
  if (!('result' in outcome))
    return 'error' in outcome ? refused(outcome.error) : unanswered(outcome, command);
  // Agents read the whole MCP result of a tool.
  if (command === CALL_COMMAND) return { ok: true, payloadJSON: fromByteText(outcome.result) };
  if (outcome.kind === 'tool_error') return failed(outcome.result);
  // As the bytes that came: a picture is not parsed to be written again.
  const payload = findMember(readMembers(outcome.result), 'structuredContent');
  return { ok: true, payloadJSON: fromByteText(payload ?? '{}') };
}

/** Of a command that ran and could not do it: its text, which often begins with the code that other nodes have for it. */
function failed(result: ByteText): InvocationResult {
  const { content, _meta: meta } = parseBytes(result) as Record<string, unknown>;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const message =
    blocks.flatMap((block) => textAt(block, 'text') ?? []).join('\n') || 'tool execution failed';
  const known = isRecord(meta) ? textAt(meta, FAILURE_CODE_KEY) : undefined;
  return failure(known ?? LEADING_CODE.exec(message)?.[1] ?? 'UNAVAILABLE', message);
}

const LEADING_CODE = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/;

function refused(error: ByteText): InvocationResult {
  const value = parseBytes(error);
  return failure('UNAVAILABLE', (isRecord(value) ? textAt(value, 'message') : undefined) ?? 'It failed.');
}

/** What OpenClaw calls these. */
const THEIR_CODE: Partial<Record<ErrorCode, string>> = {
  ARGUMENT_INVALID: 'INVALID_REQUEST',
  CALL_TIMEOUT: 'TIMEOUT',
  CALL_CANCELLED: 'ABORTED',
  TOOL_ERROR: 'UNAVAILABLE',
};

type Unanswered = Exclude<Outcome, { readonly kind: 'ok' | 'tool_error' }>;

function unanswered({ kind, reason }: Unanswered, command: string): InvocationResult {
  const message = reason.hint === undefined ? reason.message : `${reason.message} ${reason.hint}`;
  if (kind === 'not_executed') return { ok: false, error: refusal(command, codeOf(reason), message) };
  return failure(codeOf(reason), message);
}

const codeOf = ({ code, message, data = {} }: PincerError): string =>
  textAt(data, 'code') ?? LEADING_CODE.exec(message)?.[1] ?? THEIR_CODE[code] ?? code;

/** Of a run, OpenClaw takes every other code for one that may have been executed. */
export const refusal = (command: string, code: string, message: string): InvocationFailure => ({
  code: command === 'system.run' ? 'SYSTEM_RUN_DENIED' : code,
  message,
});

const failure = (code: string, message: string): InvocationResult => ({
  ok: false,
  error: { code, message },
});
