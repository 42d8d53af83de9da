export const SESSION_LIMITS = {
  /** A session without a bridge that nobody has used for so long is over. */
  appSessionTtlMs: 300_000,
  /** How often those that are over are removed. */
  appSessionSweepMs: 15_000,
  /** Sessions of one app, and of all apps together. */
  maxSessionsPerApp: 1_000,
  maxAppSessions: 10_000,
} as const;

export type SessionLimits = { readonly [K in keyof typeof SESSION_LIMITS]: number };

export const RATE_LIMITS = {
  /** Requests of one credential: how many at once, and how many each second from then on. */
  credentialBurst: 2_000,
  credentialPerSecond: 500,
  /** The same for one session. */
  sessionBurst: 200,
  sessionPerSecond: 50,
  /** Keys that are remembered at once; those that are in use, such as all sessions there may be, count twice. */
  maxRateKeys: 40_000,
} as const;
