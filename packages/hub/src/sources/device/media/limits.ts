/** What a clip may cost. */
export const MEDIA_LIMITS = {
  /** Bytes of one clip before it is base64: what a gateway of OpenClaw takes in one frame holds no more. */
  maxClipBytes: 18_000_000,
} as const;

export type MediaLimits = { readonly [K in keyof typeof MEDIA_LIMITS]: number };
