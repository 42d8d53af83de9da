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

/** Node has these globals as well, but one storage for the whole process. */
const isPage = (): boolean => page.document !== undefined;

export function pageStorage(): SessionStorage | undefined {
  try {
    return isPage() ? page.sessionStorage : undefined;
  } catch {
    // In a page with an opaque origin, such as a sandboxed frame, even reading the property throws.
    return undefined;
  }
}

export const pageLocks = (): Locks | undefined => (isPage() ? page.navigator?.locks : undefined);

/** The origin of the page; undefined in Node. */
export const pageOrigin = (): string | undefined => (isPage() ? page.origin : undefined);

/** Calls `wake` when the network is back, or the page is shown again. */
export const onWake = (wake: () => void): (() => void) => listen(['online', 'pageshow', 'focus'], wake);

/** Calls `look` when the document has been parsed, and when it has loaded. */
export const onPageRead = (look: () => void): (() => void) => listen(['DOMContentLoaded', 'load'], look);

/** Returns a function that stops listening. */
function listen(names: readonly string[], listener: () => void): () => void {
  if (!isPage()) return () => {};
  for (const name of names) page.addEventListener?.(name, listener);
  return () => {
    for (const name of names) page.removeEventListener?.(name, listener);
  };
}
