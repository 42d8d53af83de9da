/** What sessions offer, each by itself: a view is a session that the entry point has found, and shows nothing of any other. */
import type { CatalogReader, View } from '../../core/catalog/catalog.ts';
import { sessionOf, type Session, type SessionDirectory } from '../directory/session-directory.ts';
import { ABOUT_APPS } from './about-apps.ts';
import type { PreparedTools } from './prepared-tools.ts';

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
    // Sessions have no tasks and are never stale, and nothing else is asked of servers by name.
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
        // No id is used twice: only the tools of a session that is there can differ from before.
        if (kind === 'tools') listener(TOOLS);
      }),
  };
}

const TOOLS: ReadonlySet<'tools'> = new Set(['tools']);
