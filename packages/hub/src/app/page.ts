/** The browser around the app. In Node, each of these is undefined or has no effect. */
import type { Locks, SessionStorage } from './session-memory.ts';

interface Page {
  readonly document?: object;
  readonly origin?: string;
  readonly sessionStorage?: SessionStorage;
  readonly navigator?: { readonly locks?: Locks };
  addEventListener?(name: string, listener: () => void): void;
  removeEventListener?(name: string, listener: () => void): void;
}

const page = globalThis as unknown as Page;

/** Node has these names, too, but one storage for all that runs in the process. */
const isPage = (): boolean => page.document !== undefined;

export function pageStorage(): SessionStorage | undefined {
  try {
    return isPage() ? page.sessionStorage : undefined;
  } catch {
    // A page without a place of its own, such as a sandboxed frame, may not even ask.
    return undefined;
  }
}

export const pageLocks = (): Locks | undefined => (isPage() ? page.navigator?.locks : undefined);

/** What a browser says that the page is from; Node says nothing. */
export const pageOrigin = (): string | undefined => (isPage() ? page.origin : undefined);

/** The network is back, or the page is shown again. */
export const onWake = (wake: () => void): (() => void) => listen(['online', 'pageshow', 'focus'], wake);

/** All that belongs to the page has been read. */
export const onPageRead = (look: () => void): (() => void) => listen(['DOMContentLoaded', 'load'], look);

/** Gives back how to stop. */
function listen(names: readonly string[], listener: () => void): () => void {
  if (!isPage()) return () => {};
  for (const name of names) page.addEventListener?.(name, listener);
  return () => {
    for (const name of names) page.removeEventListener?.(name, listener);
  };
}
