/** Clients that want to hear when a resource changes. */
import type { Client } from '../../core/client.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';

export interface Watchers {
  add(uri: string, client: Client): void;
  remove(uri: string, client: Client): void;
  forget(client: Client): void;
  /** Tells those who watch it: at once, and then no more often than people look. */
  changed(uri: string): void;
  close(): void;
}

const EVERY_MS = 250;

export function createWatchers(): Watchers {
  const watching = new Map<string, Set<Client>>();
  const resting = new Map<string, { timer: NodeJS.Timeout; again: boolean }>();

  function tell(uri: string): void {
    for (const client of watching.get(uri) ?? [])
      client.notify('notifications/resources/updated', jsonBytes({ uri }));
  }

  function changed(uri: string): void {
    const rest = resting.get(uri);
    if (rest !== undefined) {
      rest.again = true;
      return;
    }
    if ((watching.get(uri)?.size ?? 0) === 0) return;
    tell(uri);
    const timer = setTimeout(() => {
      const { again } = resting.get(uri)!;
      resting.delete(uri);
      if (again) changed(uri);
    }, EVERY_MS).unref();
    resting.set(uri, { timer, again: false });
  }

  return {
    add(uri, client) {
      const clients = watching.get(uri) ?? new Set();
      watching.set(uri, clients.add(client));
    },
    remove: (uri, client) => void watching.get(uri)?.delete(client),
    forget(client) {
      for (const clients of watching.values()) clients.delete(client);
    },
    changed,
    close() {
      for (const { timer } of resting.values()) clearTimeout(timer);
      resting.clear();
    },
  };
}
