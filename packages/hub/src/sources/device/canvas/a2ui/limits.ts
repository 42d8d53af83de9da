/** How much A2UI may be pushed and kept. */
export const A2UI_LIMITS = {
  /** Of one push. */
  maxBytes: 4 * 1024 * 1024,
  maxLines: 4_096,
  maxLineBytes: 1024 * 1024,
  maxSurfaces: 64,
  maxComponents: 2_000,
  /** Of the JSON of one line, and of components in each other. */
  maxDepth: 64,
  /** Entries of one update of the data model, those within others included. */
  maxDataEntries: 1_024,
  maxKeyChars: 256,
  maxStringChars: 64 * 1024,
  /** Of all surfaces together, as JSON. */
  maxStateBytes: 16 * 1024 * 1024,
} as const;

export const A2UI_VERSION = '0.8';
