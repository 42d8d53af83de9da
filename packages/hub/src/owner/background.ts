/** Returns the running hub for client commands, else starts one in the background. */
import { findHub, type HubFile } from './hub-file.ts';

export interface EnsureHubOptions {
  readonly home: string;
  readonly launch: {
    /** The script that is run as `node <entry> up --background`. */
    readonly entry: string;
  };
  readonly waitMs?: number | undefined;
  /** If aborted before the hub can be reached, the hub is stopped again. */
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_WAIT_MS = 15_000;

export async function ensureHub({
  home,
  launch,
  waitMs = DEFAULT_WAIT_MS,
  signal,
}: EnsureHubOptions): Promise<HubFile> {
  const running = findHub(home);
  if (running !== undefined) return running;
  // Loaded only here, so that a command that finds its hub starts fast.
  const { launchHub } = await import('./launch-hub.ts');
  return launchHub(home, { entry: launch.entry, waitMs, signal });
}
