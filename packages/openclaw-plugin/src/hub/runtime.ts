/** The hub of this gateway, as all parts of the plugin see it. */
import type { HubClient, HubStatus } from 'pincer/client';

export interface Runtime {
  /** The hub in use. Waits while one is being started; rejects with why there is none. */
  hub(): Promise<HubClient>;
  /** What the hub last told of its servers. Never waits; undefined before it has told anything. */
  status(): HubStatus | undefined;
  /** Told after each change of what the hub tells. Returns what ends that. */
  onStatus(listener: (status: HubStatus) => void): () => void;
}
