/** How long each step of a child's end may take, in milliseconds. */
export interface SpawnLimits {
  /** From the end of stdin to SIGTERM: a server that reads the end leaves by itself. */
  readonly stdinEndMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly termMs: number;
  /** From SIGKILL to giving up: only a process stuck in the kernel survives it. */
  readonly killMs: number;
  /** From a child's exit to the end of reading, when a grandchild keeps its output open. */
  readonly lastOutputMs: number;
  /** Between two looks at whether a group is gone. */
  readonly pollMs: number;
}

export const SPAWN_LIMITS: SpawnLimits = {
  stdinEndMs: 500,
  termMs: 2_000,
  killMs: 10_000,
  lastOutputMs: 500,
  pollMs: 10,
};
