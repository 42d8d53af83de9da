/** Limits of the app proxy. They are among the others: `limits.<name>` in the configuration. */
export const APP_LIMITS = {
  /** How often the port of the proxy is tried again while another program has it. */
  proxyRetryMs: 5_000,
  /** A session of an app without a bridge that nobody has used for so long is over. */
  appSessionTtlMs: 300_000,
  /** How often those that are over are removed. */
  appSessionSweepMs: 15_000,
  /** Sessions of one app, and of all apps together. */
  maxSessionsPerApp: 1_000,
  maxAppSessions: 10_000,
  /** Requests of one credential of the proxy: how many at once, and how many each second from then on. */
  appCredentialBurst: 5_000,
  appCredentialPerSecond: 2_000,
  /** The same for one session. */
  appSessionBurst: 200,
  appSessionPerSecond: 50,
  /** Keys of both whose rates are remembered at once; those that are in use, such as all sessions there may be, count twice. */
  maxRateKeys: 40_000,
  /** Lists of tools that one bridge may send one after the other; of more, the latest after each pause is taken. */
  toolChangesAtOnce: 8,
  toolChangesPauseMs: 1_000,
  /** Calls of one session that its app has not answered, those included that wait for its bridge. */
  maxCallsPerAppSession: 64,
  /** Calls of all sessions that run at once. */
  maxProxyCalls: 1_024,
  /** How long an app may take for a call. */
  appCallMs: 120_000,
  /** How long a call that was not sent yet waits for the bridge of an app that says hello. */
  bridgeGraceMs: 10_000,
  /** How often a bridge is asked whether it is still there, and how long it may be silent. */
  bridgePingMs: 15_000,
  bridgeSilenceMs: 40_000,
  /** What an app has been sent and has not read yet. */
  maxUnsentToAppBytes: 16 * 1024 * 1024,
  /** Of one frame as an app sends it. One that has not said hello knows no chunks: a picture has to fit. */
  maxFrameBytes: 16 * 1024 * 1024,
  /** What is sent to an app that knows chunks is cut when it is longer, and so should be what it sends. */
  frameChunkBytes: 1024 * 1024,
  /** Of a frame that came in chunks, and of all that one app has not finished sending. */
  maxJoinedBytes: 64 * 1024 * 1024,
  /** The same for all apps together. */
  maxJoinedBytesInAll: 256 * 1024 * 1024,
  /** Of what an app registers, as a whole. */
  maxRegistrationBytes: 2 * 1024 * 1024,
  maxToolsPerSession: 256,
  /** Tools of one app that are shown on `/mcp`, of all its sessions together. */
  maxToolsPerApp: 512,
  /** Of the tools of all sessions of one app; lists that are the same count once. */
  maxToolBytesPerApp: 64 * 1024 * 1024,
  /** Characters of `device_id`, `device_name`, `app_version` and `chat_id`, and of a tool's `title`: each. */
  maxLabelChars: 256,
  maxToolPathChars: 2_048,
  maxToolDescriptionChars: 16_384,
  /** Of one schema that an app registers, and likewise of one tool's annotations. */
  maxSchemaBytes: 64 * 1024,
  /** Objects and arrays inside of each other; an object in an object of a schema takes two of them. */
  maxSchemaDepth: 64,
  /** Values of any kind in one schema. */
  maxSchemaNodes: 4_096,
  /** Of one name in a schema: a property, most often. */
  maxSchemaNameChars: 256,
  /** Of one regular expression. */
  maxPatternChars: 512,
} as const;
