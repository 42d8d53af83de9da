/**
 * What all evaluations of this plugin in one gateway share. OpenClaw evaluates the module more than once (services and
 * commands in one, agent turns in another), so module variables would be several sets.
 */
import { VERSION, type HubClient, type HubStatus } from 'pincer/client';

export interface Runtime {
  /** The hub in use. Waits while one is being started; rejects with why there is none. */
  hub(): Promise<HubClient>;
  /** What the hub last told of its servers. Never waits; undefined before it has told anything. */
  status(): HubStatus | undefined;
  /** Told after each change of what the hub tells. Returns what ends that. */
  onStatus(listener: (status: HubStatus) => void): () => void;
}

/** Another version, after an update, does not go on with the code of this one. */
const KEY = Symbol.for(`pincer.openclaw-plugin ${VERSION}`);
const shared = globalThis as unknown as { [KEY]?: Map<string, Runtime> };

/** One for each state folder in this process, whoever asks first. */
export function sharedRuntime<T extends Runtime>(home: string, create: () => T): T {
  const runtimes = (shared[KEY] ??= new Map());
  const known = runtimes.get(home);
  if (known !== undefined) return known as T;
  const created = create();
  runtimes.set(home, created);
  return created;
}
