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
