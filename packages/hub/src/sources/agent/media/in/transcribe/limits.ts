/** What a transcript may take, in bytes. */
export const TRANSCRIPT_LIMITS = {
  /** A day of speech. */
  maxTranscriptBytes: 1024 * 1024,
  /** Of a service's answer: with the text it says when each word was spoken. */
  maxAnswerBytes: 16 * 1024 * 1024,
} as const;

export type TranscriptLimits = { readonly [K in keyof typeof TRANSCRIPT_LIMITS]: number };
