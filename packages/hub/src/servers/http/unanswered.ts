/**
 * Notifications and answers over HTTP, which expect no response. Limits how many sockets they hold, and for how long.
 */
export interface Unanswered {
  /** Returns false if there are too many; then do not send it. */
  add(sent: Abortable): boolean;
  delete(sent: Abortable): void;
}

interface Abortable {
  abort(): void;
}

/** How many at once, and how long each may take. */
const MAX_UNANSWERED = 64;
const UNANSWERED_MS = 10_000;

export function createUnanswered(): Unanswered {
  const all = new Set<Abortable>();
  return {
    add(sent) {
      if (all.size >= MAX_UNANSWERED) return false;
      all.add(sent);
      setTimeout(() => {
        if (all.delete(sent)) sent.abort();
      }, UNANSWERED_MS).unref();
      return true;
    },
    delete: (sent) => void all.delete(sent),
  };
}
