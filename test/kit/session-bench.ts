/** A session directory with a clock that the test moves, on a store that outlives it. */
import { DEFAULT_LIMITS, type Limits } from '../../packages/hub/src/core/limits.ts';
import { createLocalDirectory } from '../../packages/hub/src/apps/directory/local-directory.ts';
import type { AppSessionStore, StoredAppSession } from '../../packages/hub/src/core/ports.ts';
import type {
  AppTool,
  Registration,
  SessionChange,
} from '../../packages/hub/src/apps/directory/session-directory.ts';

export const toolNamed = (name: string, description = `Does ${name}.`): AppTool => ({
  name,
  path: `/tools/${name}`,
  title: undefined,
  description,
  inputSchema: '{"type":"object"}',
  outputSchema: undefined,
  annotations: undefined,
});

export const registrationOf = (...names: string[]): Registration => ({
  deviceId: 'device-1',
  deviceName: 'desktop',
  appVersion: '1.0.0',
  chatId: 'chat-1',
  tools: names.map((name) => toolNamed(name)),
});

/** Stores copies, as a disk does. With `isBroken`, every write fails before it changes anything. */
class MemorySessionStore implements AppSessionStore {
  readonly kept = new Map<string, StoredAppSession>();
  saves = 0;
  isBroken = false;

  load(): StoredAppSession[] {
    return [...this.kept.values()].map((each) => structuredClone(each));
  }

  save(session: StoredAppSession): void {
    this.#assertWhole();
    this.saves++;
    this.kept.set(session.id, structuredClone(session));
  }

  remove(id: string): void {
    this.#assertWhole();
    this.kept.delete(id);
  }

  #assertWhole(): void {
    if (this.isBroken) throw new Error('The disk is full.');
  }
}

export function sessionBench(limits: Partial<Limits> = {}) {
  const clock = { at: 1_000_000 };
  const store = new MemorySessionStore();
  let count = 0;
  const changes: SessionChange[] = [];
  const open = () => {
    const directory = createLocalDirectory({
      now: () => clock.at,
      newId: () => `id-${++count}`,
      limits: { ...DEFAULT_LIMITS, ...limits },
      store,
    });
    directory.onChange((change) => changes.push(change));
    return directory;
  };
  return { clock, store, changes, directory: open(), reopen: open };
}
