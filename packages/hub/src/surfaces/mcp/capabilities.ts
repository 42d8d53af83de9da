/** What can be done through a view of the catalog. */
import { mayUse, mayUseServer } from '../../core/caller.ts';
import type { CatalogReader } from '../../core/catalog/catalog.ts';
import { TASKS_EXTENSION } from '../../core/protocol.ts';
import type { ServerAbout } from '../../core/catalog/server-about.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { writeMembers } from '../../core/wire/members.ts';
import type { Asker } from './asker.ts';

/** Changes are told whatever a server says of that: Pincer asks anew when it connects again. */
const CHANGES_TOLD = '{"listChanged":true}';
const RESOURCES = '{"listChanged":true}';
const RESOURCES_WITH_UPDATES = '{"subscribe":true,"listChanged":true}';
/** No `list`: a server would show the tasks of all callers. */
const LEGACY_TASKS = '{"cancel":{},"requests":{"tools":{"call":{}}}}';

/** A whole JSON object. Of all servers together it promises everything: one that has it may come later. */
export function capabilitiesFor(catalog: CatalogReader, asker: Asker): ByteText {
  const about = aboutOfView(catalog, asker);
  const has = (...path: readonly string[]): boolean => about === undefined || about.has(...path);
  const hasTools = has('tools') || catalog.list(asker.view).length > 0;
  const resources = has('resources', 'subscribe') ? RESOURCES_WITH_UPDATES : RESOURCES;
  return writeMembers([], {
    tools: hasTools ? CHANGES_TOLD : undefined,
    prompts: has('prompts') ? CHANGES_TOLD : undefined,
    resources: has('resources') ? resources : undefined,
    completions: has('completions') ? '{}' : undefined,
    logging: has('logging') ? '{}' : undefined,
    ...tasksFor(catalog, asker),
  });
}

function tasksFor(catalog: CatalogReader, asker: Asker): Readonly<Record<string, ByteText | undefined>> {
  const { view, era } = asker;
  const said = catalog
    .servers(view)
    .filter((server) => mayKnow(catalog, asker, server))
    .map((server) => catalog.about(server));
  if (era === 'legacy') {
    const isThere = said.some((about) => about?.has('tasks'));
    return { tasks: isThere ? LEGACY_TASKS : undefined };
  }
  // What is known of a server may have been said in the legacy era, which has no such extension.
  const isThere = view === undefined || said.some((about) => about?.has('extensions', TASKS_EXTENSION));
  return { extensions: isThere ? `{"${TASKS_EXTENSION}":{}}` : undefined };
}

/** What the one server of a view says of itself; undefined for all together, and for one that has not been heard. */
export const aboutOfView = (catalog: CatalogReader, asker: Asker): ServerAbout | undefined =>
  asker.view !== undefined && mayKnow(catalog, asker, asker.view) ? catalog.about(asker.view) : undefined;

/** What a caller may not use it does not see. */
const mayKnow = (catalog: CatalogReader, { caller: { scopes } }: Asker, server: string): boolean =>
  mayUseServer(scopes, server) || catalog.list(server).some((tool) => mayUse(scopes, tool));
