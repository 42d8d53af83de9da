export const FRAME_LIMITS = {
  /** Of one frame as it comes. An app that has not said hello knows no chunks: a picture has to fit. */
  maxFrameBytes: 16 * 1024 * 1024,
  /** What is sent to an app that knows chunks is cut when it is longer, and so should be what it sends. */
  chunkBytes: 1024 * 1024,
  /** Of a frame that came in chunks, and of all that one app has not finished sending. */
  maxJoinedBytes: 64 * 1024 * 1024,
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

export type FrameLimits = { readonly [name in keyof typeof FRAME_LIMITS]: number };
