/** What the 2026-07-28 revision demands of a request before it is looked at: its envelope and its headers. Pure. */
import { META_KEY, MODERN_VERSION, RPC, SUPPORTED_VERSIONS, type Era } from '../../core/protocol.ts';
import { findMember, isObject } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import type { RpcFailure } from './reply.ts';

/** `_meta['…/protocolVersion']`, which no legacy request has. */
export function envelopeVersion({ meta }: Message): string | undefined {
  const version = findMember(meta, META_KEY.protocolVersion);
  return version?.startsWith('"') ? plainString(version) : undefined;
}

/** The era of a message, by what only the modern one has. */
export const eraOf = (message: Message, versionHeader?: string): Era =>
  versionHeader === MODERN_VERSION ||
  message.method === 'server/discover' ||
  envelopeVersion(message) !== undefined
    ? 'modern'
    : 'legacy';

export function checkEnvelope(message: Message): RpcFailure | undefined {
  const version = envelopeVersion(message);
  if (version === undefined) return missing(META_KEY.protocolVersion);
  if (version !== MODERN_VERSION) return unsupported(version);
  const capabilities = findMember(message.meta, META_KEY.clientCapabilities);
  if (capabilities === undefined || !isObject(capabilities)) return missing(META_KEY.clientCapabilities);
  return undefined;
}

const missing = (key: string): RpcFailure => ({
  code: RPC.invalidParams,
  message: `params._meta lacks "${key}".`,
  status: 400,
});

export const unsupported = (requested: string): RpcFailure => ({
  code: RPC.unsupportedVersion,
  message: `Protocol version ${requested} is not supported.`,
  data: { supported: SUPPORTED_VERSIONS, requested },
  status: 400,
});

export interface ModernHeaders {
  readonly 'mcp-protocol-version'?: string | undefined;
  readonly 'mcp-method'?: string | undefined;
  readonly 'mcp-name'?: string | undefined;
}

/** Headers that route must say what the body says, or a gateway and Pincer would see different requests. */
export function checkHeaders(message: Message, headers: ModernHeaders): RpcFailure | undefined {
  if (headers['mcp-protocol-version'] !== envelopeVersion(message)) return mismatch('MCP-Protocol-Version');
  if (headers['mcp-method'] !== message.method) return mismatch('Mcp-Method');
  if (message.method !== 'tools/call') return undefined;
  const name = findMember(message.params, 'name');
  const isSame = name?.startsWith('"') && decodeHeader(headers['mcp-name']) === plainString(name);
  return isSame ? undefined : mismatch('Mcp-Name');
}

const mismatch = (header: string): RpcFailure => ({
  code: RPC.headerMismatch,
  message: `The ${header} header does not match the body.`,
  status: 400,
});

const ENCODED = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/i;

function decodeHeader(value: string | undefined): string | undefined {
  const encoded = value === undefined ? undefined : ENCODED.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}
