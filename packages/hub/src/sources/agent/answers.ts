/** The few ways in which a request about an order is answered. */
import { PincerError } from '../../core/errors.ts';
import { notExecuted, type Outcome } from '../../core/outcome.ts';
import type { Era } from '../../core/protocol.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';

export const answered = (result: ByteText, era: Era): Outcome => ({ kind: 'ok', result, era, extra: '' });

export const toolText = (text: string): Outcome => answered(textResult(text, false), 'legacy');

export const toolFailure = (text: string): Outcome => ({
  kind: 'tool_error',
  result: textResult(`Error: ${text}`, true),
  era: 'legacy',
  extra: '',
});

const textResult = (text: string, isError: boolean): ByteText =>
  jsonBytes({ content: [{ type: 'text', text }], isError });

/** The order goes on; this request did nothing but wait for it. */
export const gaveUpWaiting = (reason: string): Outcome =>
  notExecuted(new PincerError('CALL_CANCELLED', `Cancelled: ${reason}.`));
