import { ENVELOPE_META_KEYS, META_KEY, MODERN_VERSION, type Era } from '../../core/protocol.ts';
import type { SourceRequest } from '../../core/request.ts';
import { jsonBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, writeMembers } from '../../core/wire/members.ts';
import { VERSION } from '../../lib/version.ts';

/** Pincer's client info for servers. */
export const CLIENT_INFO = { name: 'pincer', version: VERSION };

const OWN_ENVELOPE: Readonly<Record<string, ByteText>> = {
  [META_KEY.protocolVersion]: jsonBytes(MODERN_VERSION),
  [META_KEY.clientInfo]: jsonBytes(CLIENT_INFO),
  [META_KEY.clientCapabilities]: '{}',
};

/** Writes `params` for the server's era: with the hub's progress token and that era's envelope, otherwise unchanged. */
export function writeCallParams(request: SourceRequest, era: Era, progressToken: string): ByteText {
  const meta = writeCallMeta(request, era, progressToken);
  const replace: Record<string, ByteText | undefined> = meta === undefined ? {} : { _meta: meta };
  return writeMembers(
    request.params,
    era === 'legacy' && request.era === 'modern' ? { ...replace, ...NO_ROUNDS } : replace,
  );
}

/** Members of modern rounds, which a legacy server does not know. */
const NO_ROUNDS = { inputResponses: undefined, requestState: undefined };

/** Whether the server should report progress: the caller asked for it, or the call's deadline depends on it. */
export const asksForProgress = ({ method, meta, caller }: SourceRequest): boolean =>
  findMember(meta, 'progressToken') !== undefined ||
  (caller.scopes.openClaw === true && method === 'tools/call');

function writeCallMeta(request: SourceRequest, era: Era, progressToken: string): ByteText | undefined {
  const { meta, era: from } = request;
  if (meta.length === 0 && era === 'legacy' && !asksForProgress(request)) return undefined;
  const replace: Record<string, ByteText | undefined> = {};
  if (asksForProgress(request)) replace['progressToken'] = `"${progressToken}"`;
  if (era === 'legacy') for (const key of ENVELOPE_META_KEYS) replace[key] = undefined;
  else if (from === 'legacy') Object.assign(replace, envelopeFor(request));
  return writeMembers(meta, replace);
}

/**
 * The values that a legacy client sent once, in `initialize` and `logging/setLevel`; the modern era sends them each
 * time.
 */
function envelopeFor({ client }: SourceRequest): Record<string, ByteText> {
  const envelope: Record<string, ByteText> = { ...OWN_ENVELOPE };
  envelope[META_KEY.clientCapabilities] = client.abilities.raw;
  if (client.info !== undefined) envelope[META_KEY.clientInfo] = client.info;
  if (client.logLevel !== undefined) envelope[META_KEY.logLevel] = `"${client.logLevel}"`;
  return envelope;
}

/** `params` of Pincer's own requests. */
export const ownParams = (era: Era, members: Readonly<Record<string, ByteText>> = {}): ByteText =>
  writeMembers([], era === 'legacy' ? members : { ...members, _meta: writeMembers([], OWN_ENVELOPE) });
