/** What sessions offer, each by itself: a view is the id of a session, and nothing is seen of any other. */
import type { CatalogReader } from '../../../core/catalog/catalog.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import { ABOUT_APPS } from './about-apps.ts';
import type { PreparedTools } from './prepared-tools.ts';
import type { Session } from '../sessions/session.ts';

export function createSessionCatalog(
  book: Pick<SessionBook, 'find' | 'onChange'>,
  prepare: (session: Session) => PreparedTools,
): CatalogReader {
  const toolsOf = (view: string | undefined): PreparedTools | undefined => {
    const session = view === undefined ? undefined : book.find(view);
    return session === undefined ? undefined : prepare(session);
  };
  return {
    has: (view) => book.find(view) !== undefined,
    servers: (view) => (view !== undefined && book.find(view) !== undefined ? [view] : []),
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
      book.onChange(({ kind }) => {
        // No id is used twice: only the tools of one that is there can be others than before.
        if (kind === 'tools') listener(TOOLS);
      }),
  };
}

const TOOLS: ReadonlySet<'tools'> = new Set(['tools']);
