/** What Pincer says when a client asks who it is. */
import type { CatalogReader } from '../../core/catalog/catalog.ts';
import {
  LATEST_LEGACY_VERSION,
  LEGACY_VERSIONS,
  META_KEY,
  STALE_KEY,
  SUPPORTED_VERSIONS,
  type Era,
} from '../../core/protocol.ts';
import { jsonBytes, parseBytes, quoted, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, writeMembers } from '../../core/wire/members.ts';
import type { Message } from '../../core/wire/message.ts';
import { VERSION } from '../../version.ts';
import type { Asker } from './asker.ts';
import { aboutOfView, capabilitiesFor } from './capabilities.ts';
import { SEARCH_INSTRUCTIONS } from './meta-tools-definitions.ts';
import type { ToolSurface } from './tool-surface.ts';

const SERVER_INFO = { name: 'pincer', title: 'Pincer', version: VERSION };

/** How long a modern client may keep a list, or what it discovered, before it asks again. */
const TTL_MS = 5_000;

const MODERN_MEMBERS: ByteText = `,"resultType":"complete","ttlMs":${TTL_MS},"cacheScope":"private"`;

/** What a list carries besides its items, each with its leading comma. */
export function listMembers(era: Era, stale: readonly string[] = []): ByteText {
  const own = stale.length > 0 ? { [STALE_KEY]: stale } : {};
  if (era === 'modern')
    return `${MODERN_MEMBERS},"_meta":${jsonBytes({ [META_KEY.serverInfo]: SERVER_INFO, ...own })}`;
  return stale.length > 0 ? `,"_meta":${jsonBytes(own)}` : '';
}

const MODERN_LIST_MEMBERS = listMembers('modern');

export interface Handshake {
  /** Result of `initialize`: the wanted version where Pincer speaks it, else the latest of that era. */
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
  // Only all servers together are searched, and these have no instructions of their own.
  const said = surface.kindFor(asker) === 'search' ? SEARCH_INSTRUCTIONS : instructions;
  return said === undefined ? undefined : quoted(said);
}
