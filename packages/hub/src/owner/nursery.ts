/** Knows every child that may still be there, so that none is left behind when the hub ends. */
import type { Child, Spawn } from '../core/ports.ts';

export interface Nursery {
  readonly spawn: Spawn;
  /** Resolves when nothing of any child is left, those included that somebody else is ending. */
  endAll(): Promise<void>;
}

export function createNursery(start: Spawn): Nursery {
  const children = new Set<Child>();
  return {
    spawn(options, events) {
      const child = start(options, {
        onStdout: (chunk) => events.onStdout(chunk),
        onStderr: (chunk) => events.onStderr(chunk),
        onDrain: () => events.onDrain(),
        onExit(reason) {
          events.onExit(reason);
          // The child itself is gone; what it started may not be yet.
          queueMicrotask(() => void child.stop().finally(() => children.delete(child)));
        },
      });
      children.add(child);
      return child;
    },
    async endAll() {
      await Promise.allSettled([...children].map((child) => child.stop()));
    },
  };
}
