/** The answer that an outcome is, in the words of the caller's era. */
import type { ErrorCode, PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { RPC, type Era } from '../../core/protocol.ts';
import { jsonBytes, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { errorText, resultPieces, resultText, type RpcFailure } from './reply.ts';

export interface OutcomeText {
  readonly text: ByteText;
  readonly status: number;
  /** Where it is long. */
  readonly pieces?: readonly ByteText[];
}

/** Where it says why a call did not run, or got lost: absent means in a JSON-RPC error. */
export type Failures = 'as-results';

export function outcomeText(id: ByteText, outcome: Outcome, era: Era, failures?: Failures): OutcomeText {
  if ('result' in outcome) {
    const { result, pieces, extra } = outcome;
    const text = resultText(id, result, extra);
    return { text, status: 200, ...(pieces !== undefined && { pieces: resultPieces(id, pieces, extra) }) };
  }
  if ('error' in outcome)
    return {
      text: `{"jsonrpc":"2.0","id":${id},"error":${outcome.error}${outcome.extra}}`,
      status: era === 'legacy' ? 200 : statusOfCode(codeOf(outcome.error)),
    };
  if (outcome.shown !== undefined) return { text: resultText(id, outcome.shown), status: 200 };
  if (failures === 'as-results') return { text: failedText(id, outcome.reason.message, era), status: 200 };
  const failure = failureOfOutcome(outcome.kind, outcome.reason, era);
  return { text: errorText(id, failure), status: failure.status };
}

/** A result that says what is wrong. */
export const failedText = (id: ByteText, text: string, era: Era): ByteText =>
  resultText(
    id,
    jsonBytes({
      content: [{ type: 'text', text }],
      isError: true,
      ...(era === 'modern' && { resultType: 'complete' }),
    }),
  );

/** The specification has codes of its own for some. */
const OWN_CODE: Partial<Record<ErrorCode, Record<Era, number>>> = {
  TOOL_UNKNOWN: { legacy: RPC.invalidParams, modern: RPC.invalidParams },
  PROMPT_UNKNOWN: { legacy: RPC.invalidParams, modern: RPC.invalidParams },
  TASK_UNKNOWN: { legacy: RPC.invalidParams, modern: RPC.invalidParams },
  STATE_INVALID: { legacy: RPC.invalidParams, modern: RPC.invalidParams },
  RESOURCE_UNKNOWN: { legacy: RPC.resourceNotFound, modern: RPC.invalidParams },
  CAPABILITY_MISSING: { legacy: RPC.missingCapability, modern: RPC.missingCapability },
};

function failureOfOutcome(
  kind: 'not_executed' | 'outcome_unknown',
  reason: PincerError,
  era: Era,
): RpcFailure {
  const code =
    OWN_CODE[reason.code]?.[era] ?? (kind === 'not_executed' ? RPC.notExecuted : RPC.outcomeUnknown);
  const data = { ...reason.data, code: reason.code, outcome: kind, hint: reason.hint };
  return { code, message: reason.message, data, status: era === 'legacy' ? 200 : statusOfCode(code) };
}

/** 2026-07-28 transports: what is wrong with the request itself shows in the status, too. */
function statusOfCode(code: unknown): number {
  if (code === RPC.headerMismatch || code === RPC.missingCapability || code === RPC.unsupportedVersion)
    return 400;
  return code === RPC.methodNotFound ? 404 : 200;
}

const codeOf = (error: ByteText): unknown => (parseBytes(error) as { code?: unknown } | null)?.code;
