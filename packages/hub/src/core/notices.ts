/** Tells clients that what is on offer has changed. */
import type { ListKind } from './catalog/offer.ts';
import type { Client } from './client.ts';
import type { Hearer } from './listed.ts';

export interface Notices {
  /** From now on this client hears of changes of these lists. */
  add(client: Client, kinds: ReadonlySet<ListKind>, hearer: Hearer): () => void;
  changed(kinds: Iterable<ListKind>): void;
}

/** What somebody sees of a list, as texts to compare. */
export type Listed = (hearer: Hearer, kind: ListKind) => readonly string[];

/** Changes of this long are told at once. */
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
    add(client, kinds, hearer) {
      listeners.set(client, new Listener(kinds, hearer, listed));
      return () => listeners.delete(client);
    },
    changed(kinds) {
      for (const kind of kinds) changedKinds.add(kind);
      if (changedKinds.size > 0) timer ??= setTimeout(tell, GATHER_MS).unref();
    },
  };
}

class Listener {
  readonly #hearer: Hearer;
  readonly #listed: Listed;
  readonly #kinds: ReadonlySet<ListKind>;
  /** What a confined caller saw when it last heard: not even that something else has changed is its business. */
  readonly #seen: Map<ListKind, readonly string[]> | undefined;

  constructor(kinds: ReadonlySet<ListKind>, hearer: Hearer, listed: Listed) {
    this.#kinds = kinds;
    this.#hearer = hearer;
    this.#listed = listed;
    const isConfined = Object.keys(hearer.caller.scopes).length > 0;
    this.#seen = isConfined ? new Map([...kinds].map((kind) => [kind, listed(hearer, kind)])) : undefined;
  }

  isConcerned(kind: ListKind): boolean {
    if (!this.#kinds.has(kind)) return false;
    const before = this.#seen?.get(kind);
    if (before === undefined) return true;
    const now = this.#listed(this.#hearer, kind);
    this.#seen!.set(kind, now);
    return now.length !== before.length || now.some((text, at) => text !== before[at]);
  }
}

/** The list that `notifications/<kind>/list_changed` speaks of. */
export const kindOfNotice = (method: string): ListKind | undefined =>
  (['tools', 'prompts', 'resources'] as const).find(
    (kind) => method === `notifications/${kind}/list_changed`,
  );
