/** What may be sent to an agent and what comes back. */
import type { Limits } from '../../../core/limits.ts';

export type MediaLimits = Pick<
  Limits,
  | 'maxImages'
  | 'maxFiles'
  | 'maxMediaBytes'
  | 'maxMediaBytesInAll'
  | 'maxReplyItemBytes'
  | 'maxReplyBytes'
  | 'maxReplyLineBytes'
  | 'maxShelfBytes'
>;

/** For what stands around text and media on the same line. */
export const LINE_ENVELOPE_BYTES = 16 * 1024;
