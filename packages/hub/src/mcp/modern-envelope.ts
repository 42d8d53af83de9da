/** Checks that 2026-07-28 requires of every request: its envelope and its headers. */
import { isLogLevel, LOG_LEVELS } from '../core/log-level.ts';
import { META_KEY, MODERN_VERSION, RPC, SUPPORTED_VERSIONS, type Era } from '../core/protocol.ts';
import { fromByteText, isValidUtf8, type ByteText } from '../core/wire/byte-text.ts';
import { findMember, isObject } from '../core/wire/members.ts';
import { plainString, type Message } from '../core/wire/message.ts';
import type { RpcFailure } from './reply.ts';

/** `_meta['…/protocolVersion']`, which no legacy request has. */
export const envelopeVersion = ({ meta }: Message): string | undefined =>
  stringOf(findMember(meta, META_KEY.protocolVersion));

/** Detects the era of a message by features that only the modern one has. */
export const eraOf = (message: Message, versionHeader?: string): Era =>
  versionHeader === MODERN_VERSION ||
  message.method === 'server/discover' ||
  envelopeVersion(message) !== undefined
    ? 'modern'
    : 'legacy';

/** `headers` are set for HTTP. Reports missing values first, then contradictions, then unknown values. */
export function checkEnvelope(message: Message, headers?: ModernHeaders): RpcFailure | undefined {
  const version = envelopeVersion(message);
  if (version === undefined) return missing(META_KEY.protocolVersion);
  const capabilities = findMember(message.meta, META_KEY.clientCapabilities);
  if (capabilities === undefined || !isObject(capabilities)) return missing(META_KEY.clientCapabilities);
  const contradiction = headers === undefined ? undefined : checkHeaders(message, headers);
  if (contradiction !== undefined) return contradiction;
  if (version !== MODERN_VERSION) return unsupported(version);
  const level = findMember(message.meta, META_KEY.logLevel);
  if (level !== undefined && !isLogLevel(stringOf(level))) return NO_LEVEL;
  return undefined;
}

const stringOf = (raw: ByteText | undefined): string | undefined =>
  raw?.startsWith('"') ? plainString(raw) : undefined;

const NO_LEVEL: RpcFailure = {
  code: RPC.invalidParams,
  message: `params._meta["${META_KEY.logLevel}"] must be one of ${LOG_LEVELS.join(', ')}.`,
  status: 400,
};

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

/** Routing headers must match the body; otherwise a gateway and Pincer would see different requests. */
export function checkHeaders(message: Message, headers: ModernHeaders): RpcFailure | undefined {
  if (headers['mcp-protocol-version'] !== envelopeVersion(message)) return mismatch('MCP-Protocol-Version');
  if (headers['mcp-method'] !== message.method) return mismatch('Mcp-Method');
  const named = NAMED_BY.get(message.method);
  if (named === undefined) return undefined;
  const name = stringOf(findMember(message.params, named));
  return name !== undefined && decodeHeader(headers['mcp-name']) === name ? undefined : mismatch('Mcp-Name');
}

/** The member of `params` that `Mcp-Name` repeats. */
export const NAMED_BY: ReadonlyMap<string | undefined, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

export const mismatch = (header: string): RpcFailure => ({
  code: RPC.headerMismatch,
  message: `The ${header} header does not match the body.`,
  status: 400,
});

const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes an `Mcp-Name` or `Mcp-Param-*` header; undefined if it is missing or invalid. */
export function decodeHeader(value: string | undefined): string | undefined {
  const encoded = value === undefined ? undefined : ENCODED.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString('latin1') : undefined;
  return bytes !== undefined && isValidUtf8(bytes) ? fromByteText(bytes) : undefined;
}
