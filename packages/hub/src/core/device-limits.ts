/** Limits of what this machine does. They are among the others: `limits.<name>` in the configuration. */
export const DEVICE_LIMITS = {
  /** Commands that a gateway of OpenClaw may have this machine do at once. */
  maxNodeCalls: 8,
  /** Calls of this machine that its resource `activity` has. */
  maxActivityEntries: 200,
  /** How often it is looked which commands can work here, because somebody may install a program. */
  deviceLookMs: 60_000,
  /** How long a program of `system.run` may take where nothing is said, and at most. */
  runTimeoutMs: 30_000,
  maxRunTimeoutMs: 600_000,
  /** What is kept of each stream of a program that `system.run` runs. */
  maxRunOutputBytes: 200 * 1024,
  /** Of what `system.run` would do, as a person is shown it: a longer command nobody reads, and it is refused. */
  maxCommandBytes: 16 * 1024,
  /** From the start of a browser to its first answer. */
  browserStartMs: 30_000,
  /** A browser without pages ends after this time, and a canvas that nobody sees is closed after this time. */
  browserIdleMs: 2 * 60_000,
  canvasIdleMs: 10 * 60_000,
  /** How long a page is waited for to be loaded; what comes later comes by itself. */
  pageLoadMs: 15_000,
  /** Of HTML that is presented. */
  maxCanvasHtmlBytes: 4 * 1024 * 1024,
  /** One script of `canvas.eval`, and the JSON that it gives back. */
  canvasEvalMs: 30_000,
  maxCanvasEvalBytes: 4 * 1024 * 1024,
  /** Of one push of A2UI. */
  maxA2uiBytes: 4 * 1024 * 1024,
  maxA2uiLines: 4_096,
  maxA2uiLineBytes: 1024 * 1024,
  /** Of the JSON of one line, and of the way that a path leads. */
  maxA2uiDepth: 64,
  /** Entries of one update of the data model, those within others included. */
  maxA2uiDataEntries: 1_024,
  /** Of each id, key and name of a member, and of each other text. */
  maxA2uiKeyChars: 256,
  maxA2uiStringChars: 64 * 1024,
  /** Of the canvas, of one surface, and of all surfaces together, as JSON. */
  maxA2uiSurfaces: 64,
  maxA2uiComponents: 2_000,
  maxA2uiStateBytes: 16 * 1024 * 1024,
  /** Of a clip of a screen or a camera, before it is base64: a gateway of OpenClaw takes no more in one frame. */
  maxClipBytes: 18_000_000,
  /** Of a text that is spoken. */
  maxSpeechChars: 5_000,
  /** Texts that are spoken or wait for it, so that nobody fills an hour with them. */
  maxSpeeches: 16,
  /** How long a sound may take to be made, and how large it may be: 5000 characters are about six minutes, and those sixteen million bytes. */
  makeSpeechMs: 120_000,
  maxSpeechBytes: 48 * 1024 * 1024,
  /** How long a text may be spoken by a program that makes no sound of it first. */
  maxSpeakMs: 15 * 60_000,
  /** Of a text on the clipboard. */
  maxClipboardBytes: 1024 * 1024,
  /** How long the clipboard may take to be read or written. */
  clipboardMs: 10_000,
} as const;
