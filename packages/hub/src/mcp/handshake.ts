/** Answers `initialize` and `server/discover`. */
import { viewName, type CatalogReader, type ViewSubject } from '../core/catalog/catalog.ts';
import {
  LATEST_LEGACY_VERSION,
  LEGACY_VERSIONS,
  META_KEY,
  STALE_KEY,
  SUPPORTED_VERSIONS,
  type Era,
  TASKS_EXTENSION,
} from '../core/protocol.ts';
import { jsonBytes, parseBytes, quoted, type ByteText } from '../core/wire/byte-text.ts';
import { findMember, writeMembers } from '../core/wire/members.ts';
import type { Message } from '../core/wire/message.ts';
import { VERSION } from '../lib/version.ts';
import type { Asker, ToolSurface } from './tool-surface.ts';
import { SEARCH_INSTRUCTIONS } from './meta-tools-definitions.ts';
import { mayUse, mayUseServer } from '../core/caller.ts';
import type { ServerAbout } from '../core/catalog/server-about.ts';

const SERVER_INFO = { name: 'pincer', title: 'Pincer', version: VERSION };

/** How long a modern client may cache a list or a discovery. */
const TTL_MS = 5_000;

const MODERN_MEMBERS: ByteText = `,"resultType":"complete","ttlMs":${TTL_MS},"cacheScope":"private"`;

/** Members of a list result besides its items, each with its leading comma. */
export function listMembers(era: Era, stale: readonly string[] = []): ByteText {
  const own = stale.length > 0 ? { [STALE_KEY]: stale } : {};
  if (era === 'modern')
    return `${MODERN_MEMBERS},"_meta":${jsonBytes({ [META_KEY.serverInfo]: SERVER_INFO, ...own })}`;
  return stale.length > 0 ? `,"_meta":${jsonBytes(own)}` : '';
}

const MODERN_LIST_MEMBERS = listMembers('modern');

export interface Handshake {
  /** Result of `initialize`: the requested version if Pincer supports it, otherwise the latest legacy version. */
  initialize(message: Message, asker: Asker): ByteText;
  /** Result of `server/discover`. */
  discover(asker: Asker): ByteText;
}

export const createHandshake = (catalog: CatalogReader, surface: ToolSurface): Handshake => ({
  initialize(message, asker) {
    const raw = findMember(message.params, 'protocolVersion');
    const wanted = raw === undefined ? undefined : parseBytes(raw);
    const version = LEGACY_VERSIONS.find((known) => known === wanted) ?? LATEST_LEGACY_VERSION;
    return writeMembers([], {
      protocolVersion: quoted(version),
      capabilities: capabilitiesFor(catalog, asker),
      serverInfo: jsonBytes(SERVER_INFO),
      instructions: instructionsFor(catalog, surface, asker),
    });
  },
  discover(asker) {
    const result = writeMembers([], {
      supportedVersions: jsonBytes(SUPPORTED_VERSIONS),
      capabilities: capabilitiesFor(catalog, asker),
      instructions: instructionsFor(catalog, surface, asker),
    });
    return `${result.slice(0, -1)}${MODERN_LIST_MEMBERS}}`;
  },
});

function instructionsFor(catalog: CatalogReader, surface: ToolSurface, asker: Asker): ByteText | undefined {
  const instructions = aboutOfView(catalog, asker)?.instructions;
  // Search applies only to all servers together, which have no instructions of their own.
  const text = surface.kindFor(asker) === 'search' ? SEARCH_INSTRUCTIONS : instructions;
  return text === undefined ? undefined : quoted(text);
}

/** Pincer reports changes even if the server does not: it reads the lists again whenever it reconnects. */
const CHANGES_TOLD = '{"listChanged":true}';
const RESOURCES = '{"listChanged":true}';
const RESOURCES_WITH_UPDATES = '{"subscribe":true,"listChanged":true}';
/** Without `list`: a server would show the tasks of all callers. */
const LEGACY_TASKS = '{"cancel":{},"requests":{"tools":{"call":{}}}}';

/**
 * The capabilities of a view, as a JSON object. The view of all servers promises everything, because a server that has
 * it may connect later.
 */
function capabilitiesFor(catalog: CatalogReader, asker: Asker): ByteText {
  const { caller, view } = asker;
  const about = aboutOfView(catalog, asker);
  // OpenClaw turns resources and prompts into tools and keeps them for a whole conversation. For a server that has
  // never sent its lists these tools would be useless.
  const isUnlisted = about === undefined && view !== undefined && caller.scopes.openClaw === true;
  const has = (...path: readonly string[]): boolean =>
    about === undefined ? !isUnlisted : about.has(...path);
  const hasTools = isUnlisted || has('tools') || catalog.list(view).length > 0;
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
  const abouts = catalog
    .servers(view)
    .filter((server) => mayKnow(catalog, asker, server))
    .map((server) => catalog.about(server));
  if (era === 'legacy') {
    const isThere = abouts.some((about) => about?.has('tasks'));
    return { tasks: isThere ? LEGACY_TASKS : undefined };
  }
  // A server's capabilities may have been read in the legacy era, which has no such extension.
  const isThere = view === undefined || abouts.some((about) => about?.has('extensions', TASKS_EXTENSION));
  return { extensions: isThere ? `{"${TASKS_EXTENSION}":{}}` : undefined };
}

/**
 * The capabilities of the view's server; undefined for the view of all servers, and for a server that was never
 * connected.
 */
const aboutOfView = (catalog: CatalogReader, asker: Asker): ServerAbout | undefined =>
  asker.view !== undefined && mayKnow(catalog, asker, asker.view)
    ? catalog.about(viewName(asker.view))
    : undefined;

/** A caller does not see servers that it may not use. */
const mayKnow = (
  catalog: CatalogReader,
  { caller: { scopes } }: Asker,
  view: string | ViewSubject,
): boolean => mayUseServer(scopes, viewName(view)) || catalog.list(view).some((tool) => mayUse(scopes, tool));
