/** Notifies clients of changed lists. */
import type { ListKind } from './catalog/offer.ts';
import type { Client } from './client.ts';
import type { ListReader } from './listed.ts';

export interface Notices {
  /** Notifies this client of changes to these lists from now on. Returns a function that stops it. */
  add(client: Client, kinds: ReadonlySet<ListKind>, reader: ListReader): () => void;
  changed(kinds: Iterable<ListKind>): void;
}

/** A list as one reader sees it, as texts to compare. */
export type Listed = (reader: ListReader, kind: ListKind) => readonly string[];

/** Changes within this time are sent as one notification. */
const GATHER_MS = 20;

export function createNotices(listed: Listed): Notices {
  const listeners = new Map<Client, Listener>();
  const changedKinds = new Set<ListKind>();
  let timer: NodeJS.Timeout | undefined;

  function tell(): void {
    timer = undefined;
    const kinds = [...changedKinds];
    changedKinds.clear();
    for (const [client, listener] of listeners)
      for (const kind of kinds)
        if (listener.isConcerned(kind)) client.notify(`notifications/${kind}/list_changed`, '{}');
  }

  return {
    add(client, kinds, reader) {
      listeners.set(client, new Listener(kinds, reader, listed));
      return () => listeners.delete(client);
    },
    changed(kinds) {
      for (const kind of kinds) changedKinds.add(kind);
      if (changedKinds.size > 0) timer ??= setTimeout(tell, GATHER_MS).unref();
    },
  };
}

class Listener {
  readonly #reader: ListReader;
  readonly #listed: Listed;
  readonly #kinds: ReadonlySet<ListKind>;
  /** The lists a restricted caller saw last. It must not even learn that anything else has changed. */
  readonly #seen: Map<ListKind, readonly string[]> | undefined;

  constructor(kinds: ReadonlySet<ListKind>, reader: ListReader, listed: Listed) {
    this.#kinds = kinds;
    this.#reader = reader;
    this.#listed = listed;
    const isConfined = Object.keys(reader.caller.scopes).length > 0;
    this.#seen = isConfined ? new Map([...kinds].map((kind) => [kind, listed(reader, kind)])) : undefined;
  }

  isConcerned(kind: ListKind): boolean {
    if (!this.#kinds.has(kind)) return false;
    const before = this.#seen?.get(kind);
    if (before === undefined) return true;
    const now = this.#listed(this.#reader, kind);
    this.#seen!.set(kind, now);
    return now.length !== before.length || now.some((text, at) => text !== before[at]);
  }
}

/** The list that a `notifications/<kind>/list_changed` is about. */
export const kindOfNotice = (method: string): ListKind | undefined =>
  (['tools', 'prompts', 'resources'] as const).find(
    (kind) => method === `notifications/${kind}/list_changed`,
  );
