/** What a hub tells of a server, besides what the server's source knows. */
import type { ServerConfig } from '../config/schema.ts';
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { ServerStatus } from './server-status.ts';
import type { RemoteSource } from './source.ts';

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

/** Why a server cannot be used now. */
export function problemOf(
  source: Pick<RemoteSource, 'name' | 'state' | 'problem'> | undefined,
): PincerError | undefined {
  if (source?.problem !== undefined || source?.state !== 'connecting') return source?.problem;
  return new PincerError('SERVER_UNREACHABLE', `Server "${source.name}" is still starting.`, {
    hint: `Try again in a moment, or see what it says: pincer status ${source.name}`,
  });
}

export const unknownServer = (server: string): PincerError =>
  new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured, or it is switched off.`, {
    hint: 'Run `pincer list`.',
  });
