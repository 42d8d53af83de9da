/** What Pincer says when a client asks who it is. */
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, META_KEY, SUPPORTED_VERSIONS } from '../../core/protocol.ts';
import { jsonBytes, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember } from '../../core/wire/members.ts';
import type { Message } from '../../core/wire/message.ts';
import { VERSION } from '../../version.ts';

const SERVER_INFO = { name: 'pincer', title: 'Pincer', version: VERSION };

/** How long a modern client may keep a list, or what it discovered, before it asks again. */
const TTL_MS = 5_000;

/** What every list of the modern era carries besides its items, each with its leading comma. */
export const MODERN_LIST_MEMBERS: ByteText =
  `,"resultType":"complete","ttlMs":${TTL_MS},"cacheScope":"private",` +
  `"_meta":${jsonBytes({ [META_KEY.serverInfo]: SERVER_INFO })}`;

const capabilities = (canNotify: boolean): object => ({ tools: { listChanged: canNotify } });

/** The wanted version where Pincer speaks it, else the latest of that era. */
export function initializeResult(message: Message, canNotify: boolean): ByteText {
  const raw = findMember(message.params, 'protocolVersion');
  const wanted = raw === undefined ? undefined : parseBytes(raw);
  const protocolVersion = LEGACY_VERSIONS.find((version) => version === wanted) ?? LATEST_LEGACY_VERSION;
  return jsonBytes({ protocolVersion, capabilities: capabilities(canNotify), serverInfo: SERVER_INFO });
}

/** Changes reach a modern client by `subscriptions/listen`, which Pincer does not offer. */
export const DISCOVER_RESULT: ByteText =
  `{"supportedVersions":${jsonBytes(SUPPORTED_VERSIONS)},"capabilities":${jsonBytes(capabilities(false))}` +
  `${MODERN_LIST_MEMBERS}}`;
