/** How an order ended, as an outcome of a call: whatever happens, its caller is shown a result. */
import { PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';
import type { OrderEnd } from './backend.ts';
import { contentBlocks, type ContentBlock, type ReplyWay } from './media/out/content-blocks.ts';

export function outcomeOf(end: OrderEnd, way: ReplyWay): Outcome {
  switch (end.kind) {
    case 'answered': {
      const blocks = [...contentBlocks(end, way), ...end.remarks.map((said) => textBlock(`[${said}]`))];
      const content = blocks.length > 0 ? blocks : [textBlock('[OpenClaw had nothing to say to this.]')];
      return { kind: 'ok', result: jsonBytes({ content, isError: false }), era: 'legacy', extra: '' };
    }
    case 'failed':
      return toolError(errorText(end.message, end.hint), end.text);
    case 'stopped':
      if (end.neverRan === true)
        return refusedOutcome(new PincerError('CALL_CANCELLED', 'The order was taken back before it began.'));
      return toolError(
        errorText('The order was stopped in OpenClaw before it was done.', undefined),
        end.text,
      );
    case 'lost':
      return { kind: 'outcome_unknown', reason: end.reason, shown: shownError(end.reason) };
  }
}

/** It certainly did not run. */
export const refusedOutcome = (reason: PincerError): Outcome => ({
  kind: 'not_executed',
  reason,
  shown: shownError(reason),
});

/** The caller does not want to know any more. */
export function cancelledOutcome(why: string, hasRun: boolean): Outcome {
  const reason = new PincerError('CALL_CANCELLED', `Cancelled: ${why}.`);
  return { kind: hasRun ? 'outcome_unknown' : 'not_executed', reason };
}

const textBlock = (text: string): ContentBlock => ({ type: 'text', text });

const errorText = (message: string, hint: string | undefined): string =>
  `Error: ${message}${hint === undefined ? '' : ` ${hint}`}`;

/** With what was said before it failed: that is often why. */
function toolError(error: string, said: string): Outcome {
  const text = said === '' ? error : `${error}\n\nBefore that it had said:\n${said}`;
  const result = jsonBytes({ content: [textBlock(text)], isError: true });
  return { kind: 'tool_error', result, era: 'legacy', extra: '' };
}

/** `resultType` is what a modern caller wants to see on every result, and a legacy one ignores. */
const shownError = ({ message, hint }: PincerError): ByteText =>
  jsonBytes({ content: [textBlock(errorText(message, hint))], isError: true, resultType: 'complete' });
