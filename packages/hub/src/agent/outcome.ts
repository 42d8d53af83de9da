/** The few ways in which a request about an order is answered. */
import { PincerError } from '../core/errors.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Era } from '../core/protocol.ts';
import { jsonBytes, type ByteText } from '../core/wire/byte-text.ts';
import { asSentence } from '../lib/as-sentence.ts';

export const answered = (result: ByteText, era: Era): Outcome => ({ kind: 'ok', result, era, extra: '' });

export const toolText = (text: string): Outcome =>
  answered(jsonBytes({ content: [{ type: 'text', text }], isError: false }), 'legacy');

export const toolFailure = (text: string): Outcome => ({
  kind: 'tool_error',
  result: jsonBytes(failure(text)),
  era: 'legacy',
  extra: '',
});

/** It certainly did not run. */
export const refused = (reason: PincerError): Outcome => ({
  kind: 'not_executed',
  reason,
  shown: shownError(reason),
});

/** Nobody knows whether it ran. */
export const lost = (reason: PincerError): Outcome => ({
  kind: 'outcome_unknown',
  reason,
  shown: shownError(reason),
});

/** Why something was given up that nobody wants any more. */
export const cancelled = (why: string): PincerError =>
  new PincerError('CALL_CANCELLED', `Cancelled: ${why}.`);

/** What happened, and what to do about it. */
export const sentences = ({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint?: string | undefined;
}): string => (hint === undefined ? message : `${asSentence(message)} ${hint}`);

/** `resultType` is what a modern caller wants to see on every result, and a legacy one ignores. */
const shownError = (reason: PincerError): ByteText =>
  jsonBytes({ ...failure(sentences(reason)), resultType: 'complete' });

const failure = (text: string): object => ({
  content: [{ type: 'text', text: `Error: ${text}` }],
  isError: true,
});
