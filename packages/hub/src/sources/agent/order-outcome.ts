/** How an order ended, as an outcome of a call: whatever happens, its caller is shown a result. */
import { PincerError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { answered, lost, refused, sentences, toolFailure, toolText } from './outcome.ts';
import type { OrderEnd } from './backend.ts';
import { contentBlocks, type ContentBlock, type ReplyWay } from './media/out/content-blocks.ts';
import { fitText } from './media/out/fit-text.ts';

export function outcomeOf(end: OrderEnd, way: ReplyWay): Outcome {
  const begun = ({ text }: { readonly text: string }): string =>
    fitText(text, { ...way, shelf: undefined }).text;
  switch (end.kind) {
    case 'answered': {
      const content = [...contentBlocks(end, way), ...end.remarks.map(remark)];
      if (content.length === 0) return toolText('[OpenClaw had nothing to say to this.]');
      return answered(jsonBytes({ content, isError: false }), 'legacy');
    }
    case 'failed':
      return toolFailure(withSaid(sentences(end), begun(end)));
    case 'stopped':
      if (end.neverRan === true)
        return refused(new PincerError('CALL_CANCELLED', 'The order was taken back before it began.'));
      return toolFailure(withSaid('The order was stopped in OpenClaw before it was done.', begun(end)));
    case 'lost':
      return lost(end.reason);
  }
}

const remark = (said: string): ContentBlock => ({ type: 'text', text: `[${said}]` });

/** With what was said before it failed: that is often why. */
const withSaid = (error: string, said: string): string =>
  said === '' ? error : `${error}\n\nBefore that it had said:\n${said}`;
