/** Limits of what this machine does. Configured with the other limits, as `limits.<name>`. */
export const DEVICE_LIMITS = {
  /** Commands that a gateway of OpenClaw may run on this machine at once. */
  maxNodeCalls: 8,
  /** Calls listed in this machine's `activity` resource. */
  maxActivityEntries: 200,
  /** How often Pincer checks which commands can work here. A person may install a program meanwhile. */
  deviceLookMs: 60_000,
  /** Default and highest timeout of a program run by `system.run`. */
  runTimeoutMs: 30_000,
  maxRunTimeoutMs: 600_000,
  /** Output kept of each stream of a program run by `system.run`. */
  maxRunOutputBytes: 200 * 1024,
  /** Size of the plan of `system.run` that a person is shown. A longer one is refused, because no one would read it. */
  maxCommandBytes: 16 * 1024,
  /** From the start of a browser to its first answer. */
  browserStartMs: 30_000,
  /** A browser without pages is closed after this time, and a hidden canvas after this time. */
  browserIdleMs: 2 * 60_000,
  canvasIdleMs: 10 * 60_000,
  /** How long a call waits for a page to load. Content that loads later still appears. */
  pageLoadMs: 15_000,
  /** Size of the HTML that is presented. */
  maxCanvasHtmlBytes: 4 * 1024 * 1024,
  /** Time for one script of `canvas.eval`, and the size of its JSON result. */
  canvasEvalMs: 30_000,
  maxCanvasEvalBytes: 4 * 1024 * 1024,
  /** Size of one A2UI push. */
  maxA2uiBytes: 4 * 1024 * 1024,
  maxA2uiLines: 4_096,
  maxA2uiLineBytes: 1024 * 1024,
  /** Nesting of one line's JSON, and the length of a path. */
  maxA2uiDepth: 64,
  /** Entries of one data model update, nested ones included. */
  maxA2uiDataEntries: 1_024,
  /** Characters of each id, key and member name, and of each other string. */
  maxA2uiKeyChars: 256,
  maxA2uiStringChars: 64 * 1024,
  /** Surfaces of the canvas, components of one surface, and the size of all surfaces as JSON. */
  maxA2uiSurfaces: 64,
  maxA2uiComponents: 2_000,
  maxA2uiStateBytes: 16 * 1024 * 1024,
  /** Size of a screen or camera clip before base64. A gateway of OpenClaw accepts no more in one frame. */
  maxClipBytes: 18_000_000,
  /** Characters of a text that is spoken. */
  maxSpeechChars: 5_000,
  /** Texts that are spoken or queued, so that no caller can fill an hour with them. */
  maxSpeeches: 16,
  /** Time to synthesize speech, and the size of the sound. 5000 characters are about six minutes or sixteen million bytes. */
  makeSpeechMs: 120_000,
  maxSpeechBytes: 48 * 1024 * 1024,
  /** How long a program that speaks directly may speak one text. */
  maxSpeakMs: 15 * 60_000,
  /** Size of a text on the clipboard. */
  maxClipboardBytes: 1024 * 1024,
  /** How long reading or writing the clipboard may take. */
  clipboardMs: 10_000,
} as const;
