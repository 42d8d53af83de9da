/** Limits of the app proxy. Configured with the other limits, as `limits.<name>`. */
export const APP_LIMITS = {
  /** How often the proxy tries its port again while another program uses it. */
  proxyRetryMs: 5_000,
  /** A session without a bridge expires after this time without use. */
  appSessionTtlMs: 300_000,
  /** How often expired sessions are removed. */
  appSessionSweepMs: 15_000,
  /** Sessions of one app, and of all apps together. */
  maxSessionsPerApp: 1_000,
  maxAppSessions: 10_000,
  /** Requests per credential of the proxy: the burst, then the rate per second. */
  appCredentialBurst: 5_000,
  appCredentialPerSecond: 2_000,
  /** The same per session. */
  appSessionBurst: 200,
  appSessionPerSecond: 50,
  /** Rate-limit keys remembered at once: credentials and sessions. Allows two keys for each possible session and more. */
  maxRateKeys: 40_000,
  /** Tool lists that one bridge may send in a row. After that, only the latest list of each pause is applied. */
  toolChangesAtOnce: 8,
  toolChangesPauseMs: 1_000,
  /** Unanswered calls of one session, including those that wait for its bridge. */
  maxCallsPerAppSession: 64,
  /** Running calls of all sessions together. */
  maxProxyCalls: 1_024,
  /** How long an app may take to answer a call. */
  appCallMs: 120_000,
  /** How long an unsent call waits for the bridge, if the app speaks the hello protocol. */
  bridgeGraceMs: 10_000,
  /** Ping interval of a bridge, and how long a bridge may stay silent before it is closed. */
  bridgePingMs: 15_000,
  bridgeSilenceMs: 40_000,
  /** Bytes sent to an app that it has not read yet. */
  maxUnsentToAppBytes: 16 * 1024 * 1024,
  /** Size of one frame from an app. An app without hello cannot send chunks, so an image has to fit. */
  maxFrameBytes: 16 * 1024 * 1024,
  /** Frames to an app that supports chunks are split at this size. The app should do the same. */
  frameChunkBytes: 1024 * 1024,
  /** Size of one frame joined from chunks, and of all unfinished frames of one app. */
  maxJoinedBytes: 64 * 1024 * 1024,
  /** The same for all apps together. */
  maxJoinedBytesInAll: 256 * 1024 * 1024,
  /** Size of one registration. */
  maxRegistrationBytes: 2 * 1024 * 1024,
  maxToolsPerSession: 256,
  /** Tools of one app shown on `/mcp`, over all its sessions. */
  maxToolsPerApp: 512,
  /** Size of the tools of all sessions of one app. Identical lists count once. */
  maxToolBytesPerApp: 64 * 1024 * 1024,
  /** Characters of each of `device_id`, `device_name`, `app_version`, `chat_id`, and of a tool's `title`. */
  maxLabelChars: 256,
  maxToolPathChars: 2_048,
  maxToolDescriptionChars: 16_384,
  /** Size of one schema that an app registers, and of one tool's annotations. */
  maxSchemaBytes: 64 * 1024,
  /** Nesting of objects and arrays. An object inside an object takes two levels of a schema. */
  maxSchemaDepth: 64,
  /** Values of any kind in one schema. */
  maxSchemaNodes: 4_096,
  /** Characters of one name in a schema, usually a property. */
  maxSchemaNameChars: 256,
  /** Characters of one regular expression. */
  maxPatternChars: 512,
} as const;
