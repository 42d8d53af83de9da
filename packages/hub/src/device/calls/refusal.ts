/** Why a call of a command ended without its payload. */
import { PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { FAILURE_CODE_KEY, type Era } from '../../core/protocol.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { CommandFailure } from '../registry/failure.ts';

/** As people and models read it. */
const failureText = ({ message, hint }: { message: string; hint?: string | undefined }): string =>
  hint === undefined ? message : `${message}${/[.!?]$/.test(message) ? '' : '.'} ${hint}`;

/** Seed 000: what a tool could not do is a result, and never an error of the protocol. */
const errorResult = (text: string, era: Era, code?: string): ByteText =>
  jsonBytes({
    content: [{ type: 'text', text }],
    isError: true,
    ...(era === 'modern' && { resultType: 'complete' }),
    ...(code !== undefined && { _meta: { [FAILURE_CODE_KEY]: code } }),
  });

/** It ran, and this is how it went. */
const failed = (text: string, code?: string): Outcome => ({
  kind: 'tool_error',
  result: errorResult(text, 'legacy', code),
  era: 'legacy',
  extra: '',
});

/** `era` is that of the caller. */
export const refused = (reason: PincerError, era: Era, text = failureText(reason)): Outcome => ({
  kind: 'not_executed',
  reason,
  shown: errorResult(text, era),
});

/** Of whatever was thrown while the command ran; `hasBegun` as far as we know. */
export function outcomeOf(error: unknown, era: Era, hasBegun: boolean): Outcome {
  if (error instanceof CommandFailure) {
    const { code, notExecuted } = error;
    const text = failureText(error);
    if (hasBegun && !notExecuted) return failed(text, code);
    const reason = new PincerError('TOOL_ERROR', text, { data: code === undefined ? undefined : { code } });
    return { kind: 'not_executed', reason, shown: errorResult(text, era, code) };
  }
  if (PincerError.is(error)) {
    if (!hasBegun) return refused(error, era);
    return { kind: 'outcome_unknown', reason: error, shown: errorResult(failureText(error), era) };
  }
  // What went wrong inside of Pincer is logged; it may name paths and devices.
  return failed('Internal error. The log of the hub says more.');
}
