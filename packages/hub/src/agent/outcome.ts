/** Constructors for the outcomes of requests about orders. */
import { PincerError } from '../core/errors.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Era } from '../core/protocol.ts';
import { jsonBytes, type ByteText } from '../core/wire/byte-text.ts';
import { asSentence } from '../lib/text.ts';

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

/** It may have run. */
export const lost = (reason: PincerError): Outcome => ({
  kind: 'outcome_unknown',
  reason,
  shown: shownError(reason),
});

export const cancelled = (why: string): PincerError =>
  new PincerError('CALL_CANCELLED', `Cancelled: ${why}.`);

/** The message and its hint in one text. */
export const sentences = ({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint?: string | undefined;
}): string => (hint === undefined ? message : `${asSentence(message)} ${hint}`);

/** The modern era requires `resultType` on every result; the legacy era ignores it. */
const shownError = (reason: PincerError): ByteText =>
  jsonBytes({ ...failure(sentences(reason)), resultType: 'complete' });

const failure = (text: string): object => ({
  content: [{ type: 'text', text: `Error: ${text}` }],
  isError: true,
});
