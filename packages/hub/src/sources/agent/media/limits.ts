/** What may be sent to an agent and what comes back. Of media the bytes are counted, not their base64. */
const MiB = 1024 * 1024;

export const MEDIA_LIMITS = {
  /** Images and files of one message. */
  maxImages: 10,
  maxFiles: 5,
  /** Of each of them. */
  maxMediaBytes: 15 * MiB,
  /** Of all of them together. */
  maxMediaBytesInAll: 64 * MiB,
  /** Of each image, sound or file of an answer. */
  maxReplyItemBytes: 20 * MiB,
  /** Of an answer: its text and all that comes with it. */
  maxReplyBytes: 50 * MiB,
  /** The longest line that a client's reader takes: the official SDK's over a pipe stops here. */
  maxReplyLineBytes: 10 * MiB,
} as const;

export type MediaLimits = { readonly [K in keyof typeof MEDIA_LIMITS]: number };

/** A size as people say it, rounded up: nothing that is over a limit looks as if it were within. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const [unit, name] = bytes < MiB ? [1024, 'KB'] : [MiB, 'MB'];
  return `${Math.ceil((bytes * 10) / unit) / 10} ${name}`;
}
