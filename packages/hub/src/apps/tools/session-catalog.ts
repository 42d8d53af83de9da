/** The catalog of one session for MCP clients, and notices of changes. Its view is the session that the endpoint found; it never shows another one. */
import { viewName, type CatalogReader, type View } from '../../core/catalog/catalog.ts';
import { sessionOf, type Session, type SessionDirectory } from '../directory/session-directory.ts';
import type { PreparedTools } from './prepared-tools.ts';
import type { Client } from '../../core/client.ts';
import type { Notices } from '../../core/notices.ts';
import { readIntroduction } from '../../core/catalog/server-about.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';

export function createSessionCatalog(
  directory: Pick<SessionDirectory, 'isLive' | 'onChange'>,
  prepare: (session: Session) => PreparedTools,
): CatalogReader {
  const toolsOf = (view: View): PreparedTools | undefined => {
    const session = sessionOf(view);
    // Checked again, because a call may have waited for a person, and its session ended meanwhile.
    return session !== undefined && directory.isLive(session) ? prepare(session) : undefined;
  };
  return {
    // Sessions have no tasks and are never stale, so the list of servers is not needed.
    servers: () => [],
    about: () => ABOUT_APPS,
    list: (view) => toolsOf(view)?.list ?? [],
    resolve: (view, name) => toolsOf(view)?.find(name),
    withheld: () => undefined,
    prompts: () => [],
    prompt: () => undefined,
    resources: () => [],
    templates: () => [],
    ownerOf: () => undefined,
    onChange: (listener) =>
      directory.onChange(({ kind }) => {
        // Ids are never reused, so only a change of tools can outdate a cached list.
        if (kind === 'tools') listener(TOOLS);
      }),
  };
}

const TOOLS: ReadonlySet<'tools'> = new Set(['tools']);

/** Changes within this time become one notice. */
const GATHER_MS = 20;

/** Notifies the listeners of a session when its tools have changed. They get no notices of other sessions. */
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

/** Apps offer tools only. */
export const ABOUT_APPS = readIntroduction(
  jsonBytes({ capabilities: { tools: { listChanged: true } } }),
  'modern',
);
