import { ENVELOPE_META_KEYS, META_KEY, MODERN_VERSION, type Era } from '../../core/protocol.ts';
import type { ToolRequest } from '../../core/request.ts';
import { jsonBytes, quoted, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, writeMembers } from '../../core/wire/members.ts';
import { VERSION } from '../../version.ts';

/** What Pincer says of itself to a server. */
export const CLIENT_INFO = { name: 'pincer', version: VERSION };

const OWN_ENVELOPE: Readonly<Record<string, ByteText>> = {
  [META_KEY.protocolVersion]: jsonBytes(MODERN_VERSION),
  [META_KEY.clientInfo]: jsonBytes(CLIENT_INFO),
  [META_KEY.clientCapabilities]: '{}',
};

/** `params` of a call in the server's era: its own tool name, our progress token, everything else as it came. */
export function writeCallParams(request: ToolRequest, era: Era, progressToken: string): ByteText {
  const meta = writeCallMeta(request, era, progressToken);
  const name = quoted(request.name);
  return writeMembers(request.params, meta === undefined ? { name } : { name, _meta: meta });
}

function writeCallMeta(
  { meta, era: from }: ToolRequest,
  era: Era,
  progressToken: string,
): ByteText | undefined {
  if (meta.length === 0 && era === 'legacy') return undefined;
  const replace: Record<string, ByteText | undefined> = {};
  if (findMember(meta, 'progressToken') !== undefined) replace['progressToken'] = `"${progressToken}"`;
  if (era === 'legacy') for (const key of ENVELOPE_META_KEYS) replace[key] = undefined;
  else if (from === 'legacy') Object.assign(replace, OWN_ENVELOPE);
  return writeMembers(meta, replace);
}

/** `params` of Pincer's own requests. */
export const ownParams = (era: Era, members: Readonly<Record<string, ByteText>> = {}): ByteText =>
  writeMembers([], era === 'legacy' ? members : { ...members, _meta: writeMembers([], OWN_ENVELOPE) });
