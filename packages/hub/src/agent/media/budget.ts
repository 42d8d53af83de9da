/** How much of media may be on its way at once: memory is shared by all orders. */
import { PincerError } from '../../core/errors.ts';
import type { Attachment } from './in/read-media.ts';
import { sizeText } from './size-text.ts';

export interface MediaBudget {
  /** Until it is disposed of. Throws where there is no room left. */
  take(attachments: readonly Attachment[]): Disposable;
}

export function createMediaBudget(maxBytes: number): MediaBudget {
  let taken = 0;
  return {
    take(attachments) {
      const size = attachments.reduce((sum, each) => sum + each.size, 0);
      // One alone is as large as it may be by itself.
      if (taken > 0 && taken + size > maxBytes)
        throw new PincerError(
          'SERVER_BUSY',
          `Images and files of ${sizeText(taken)} are on their way to OpenClaw already, and ${sizeText(maxBytes)} may be at once.`,
          { hint: 'Send it again when one of the others has been answered.' },
        );
      taken += size;
      return {
        [Symbol.dispose]() {
          taken -= size;
        },
      };
    },
  };
}
