/** What one run of a program may take, in bytes and milliseconds. */
export const PROGRAM_LIMITS = {
  /** Of OpenClaw's answer with all that is told of it: the text is in it three times, and the message once. */
  maxOutputBytes: 64 * 1024 * 1024,
  /** Of what is written besides, the last. */
  maxLastWordsBytes: 16 * 1024,
  /** From SIGTERM to SIGKILL. OpenClaw itself takes three seconds to force an end. */
  termMs: 8_000,
  /** From SIGKILL to giving up. */
  killMs: 5_000,
  /** From the end to the last output, where a grandchild keeps the pipe open. */
  lastOutputMs: 1_000,
} as const;

export type ProgramLimits = { readonly [K in keyof typeof PROGRAM_LIMITS]: number };

/** And what an order to OpenClaw may. */
export const LOCAL_LIMITS = {
  ...PROGRAM_LIMITS,
  /** OpenClaw reads no longer message from a file. */
  maxMessageBytes: 4 * 1024 * 1024,
  /** How long a turn may take. */
  timeoutMs: 60 * 60_000,
  /** Beyond that, OpenClaw may take so long to start and to end. */
  marginMs: 120_000,
  /** How long an order waits for another program to let go of OpenClaw's state, and between two attempts. */
  busyWaitMs: 5 * 60_000,
  busyPauseMs: 2_000,
} as const;

export type LocalLimits = { readonly [K in keyof typeof LOCAL_LIMITS]: number };
