import type { Limits } from '../../../core/limits.ts';

/** How large frames may be. */
export type FrameLimits = Pick<Limits, 'maxFrameBytes' | 'maxJoinedBytes'>;

/** What belongs to the form of a frame, and is no setting. */
export const FRAME_FORM = {
  /** Chunks of one frame, and frames in chunks that one app has begun. */
  maxChunks: 4_096,
  maxOpenChunked: 8,
  /** How deep values may be nested in a frame: readers in other languages stop at 1,000 and less. */
  maxDepth: 256,
  /** Members and elements of one frame, at whatever depth: a million of them take a second to read. */
  maxValues: 200_000,
  /** Characters of an id: of a session, a request, a series of chunks. */
  maxIdChars: 128,
  /** Features that a hello names, and characters of each. */
  maxFeatures: 64,
  maxFeatureChars: 64,
  /** Characters of the message that comes with progress. */
  maxProgressChars: 4_096,
} as const;
