/** Tells clients that what is on offer has changed. */
import type { Client } from './client.ts';
import type { ListKind } from './catalog/offer.ts';

export interface Notices {
  /** From now on this client hears of changes of these lists. */
  add(client: Client, kinds: ReadonlySet<ListKind>): () => void;
  changed(kinds: Iterable<ListKind>): void;
}

/** Changes of this long are told at once. */
const GATHER_MS = 20;

export function createNotices(): Notices {
  const listeners = new Map<Client, ReadonlySet<ListKind>>();
  const changedKinds = new Set<ListKind>();
  let timer: NodeJS.Timeout | undefined;

  function tell(): void {
    timer = undefined;
    const kinds = [...changedKinds];
    changedKinds.clear();
    for (const [client, wanted] of listeners)
      for (const kind of kinds)
        if (wanted.has(kind)) client.notify(`notifications/${kind}/list_changed`, '{}');
  }

  return {
    add(client, kinds) {
      listeners.set(client, kinds);
      return () => listeners.delete(client);
    },
    changed(kinds) {
      for (const kind of kinds) changedKinds.add(kind);
      if (changedKinds.size > 0) timer ??= setTimeout(tell, GATHER_MS).unref();
    },
  };
}

/** The list that `notifications/<kind>/list_changed` speaks of. */
export const kindOfNotice = (method: string): ListKind | undefined =>
  (['tools', 'prompts', 'resources'] as const).find(
    (kind) => method === `notifications/${kind}/list_changed`,
  );
