/** Notifications and answers over HTTP: nobody waits for what becomes of them, and they must not hold sockets for ever. */
export interface Unanswered {
  /** False: there are too many already, and it is not to be sent. */
  add(sent: Abortable): boolean;
  delete(sent: Abortable): void;
}

interface Abortable {
  abort(): void;
}

/** How many at once, and how long the server may take over one. */
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
