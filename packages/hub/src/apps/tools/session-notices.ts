/** Tells those who listen to a session that its tools have changed. Of other sessions they hear nothing. */
import type { Client } from '../../core/client.ts';
import type { Notices } from '../../core/notices.ts';
import { viewName } from '../../core/catalog/catalog.ts';
import type { SessionDirectory } from '../directory/session-directory.ts';

/** Changes of this long are told at once. */
const GATHER_MS = 20;

export function createSessionNotices(directory: Pick<SessionDirectory, 'onChange'>): Notices {
  const listeners = new Map<string, Set<Client>>();
  const changed = new Set<string>();

  function tell(session: string): void {
    changed.delete(session);
    for (const client of listeners.get(session) ?? [])
      client.notify('notifications/tools/list_changed', '{}');
  }

  directory.onChange(({ kind, session: { id } }) => {
    if (kind !== 'tools' || changed.has(id) || !listeners.has(id)) return;
    changed.add(id);
    setTimeout(tell, GATHER_MS, id).unref();
  });

  return {
    add(client, kinds, { view }) {
      const id = viewName(view);
      if (!kinds.has('tools') || id === undefined) return () => undefined;
      const own = listeners.get(id) ?? new Set();
      listeners.set(id, own.add(client));
      return () => {
        if (own.delete(client) && own.size === 0) listeners.delete(id);
      };
    },
    changed: () => undefined,
  };
}
