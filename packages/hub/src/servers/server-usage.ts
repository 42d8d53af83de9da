/** What a hub tells of a server, besides what the server's source knows. */
import type { ServerConfig } from '../config/schema.ts';
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { ServerStatus } from '../sources/remote/server-status.ts';

export interface HubServerStatus extends ServerStatus {
  /** What is listed of it is what it offered when it was last heard: it is not connected now. */
  readonly isStale: boolean;
  /** What the names of its tools begin with, before `__`. */
  readonly prefix: string;
  /** No call of it takes longer than this. */
  readonly longestCallMs: number;
  /** Those of OpenClaw that may use it; absent: all. */
  readonly agents: readonly string[] | undefined;
  /** Some of what it has is asked about, or refused, before it runs. */
  readonly isGuarded: boolean;
}

export const usageOf = (
  name: string,
  config: ServerConfig | undefined,
  { maxCallMs, approvalWaitMs }: Limits,
): Pick<HubServerStatus, 'prefix' | 'longestCallMs' | 'agents'> => ({
  prefix: config?.toolPrefix || name,
  agents: config?.agents,
  longestCallMs: Math.max(maxCallMs, config?.requestTimeoutMs ?? 0) + approvalWaitMs,
});

export const unknownServer = (server: string): PincerError =>
  new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured, or it is switched off.`, {
    hint: 'Run `pincer list`.',
  });
