import type { Headers } from '../connection.ts';
import type { Inbound } from '../inbound.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ErrorBody } from '../outbound.ts';

const MODERN_VERSIONS = ['2026-07-28'];
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** The members of the envelope in `_meta`, as far as they are there. */
export function envelopeOf(inbound: Inbound): {
  version: string | undefined;
  client: JsonObject;
  logLevel: string | undefined;
} {
  const meta = inbound.params['_meta'];
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined;
  const info = isObject(meta) ? (meta['io.modelcontextprotocol/clientInfo'] ?? null) : null;
  const capabilities = isObject(meta) ? (meta[CAPABILITIES_KEY] ?? null) : null;
  const level = isObject(meta) ? meta['io.modelcontextprotocol/logLevel'] : undefined;
  return {
    version: typeof version === 'string' ? version : undefined,
    client: { info, capabilities },
    logLevel: typeof level === 'string' ? level : undefined,
  };
}

export function isModernVersion(version: unknown): boolean {
  return MODERN_VERSIONS.some((known) => known === version);
}

/** Why a request is refused regardless of its method; all of these are HTTP 400. */
export function refusalOf(inbound: Inbound, headers?: Headers): ErrorBody | undefined {
  const { version, client } = envelopeOf(inbound);
  if (version === undefined && inbound.method === 'initialize') {
    return unsupported(inbound.params['protocolVersion'] ?? null);
  }
  const missing = [
    ...(version === undefined ? [VERSION_KEY] : []),
    ...(isObject(client['capabilities']) ? [] : [CAPABILITIES_KEY]),
  ];
  if (missing.length > 0) {
    return { code: -32602, message: `Invalid params: _meta lacks ${missing.join(', ')}`, data: { missing } };
  }
  const wrongVersion = headers && mismatch(headers, 'mcp-protocol-version', version);
  if (wrongVersion) return wrongVersion;
  if (!isModernVersion(version)) return unsupported(version ?? null);
  return headers && (mismatch(headers, 'mcp-method', inbound.method) ?? wrongName(inbound, headers));
}

function unsupported(requested: JsonValue): ErrorBody {
  const message = `Unsupported protocol version: ${JSON.stringify(requested)}; supported: ${MODERN_VERSIONS.join(', ')}`;
  return { code: -32022, message, data: { supported: MODERN_VERSIONS, requested } };
}

function wrongName(inbound: Inbound, headers: Headers): ErrorBody | undefined {
  switch (inbound.method) {
    case 'tools/call':
    case 'prompts/get':
      return mismatch(headers, 'mcp-name', inbound.params['name']);
    case 'resources/read':
      return mismatch(headers, 'mcp-name', inbound.params['uri']);
    default:
      return undefined;
  }
}

function mismatch(headers: Headers, header: string, wanted: unknown): ErrorBody | undefined {
  const value = headers[header];
  const found = typeof value === 'string' ? decode(value) : undefined;
  if (found === wanted) return undefined;
  const message = `Header mismatch: ${header} is ${String(found)}, the body says ${String(wanted)}`;
  return { code: -32020, message };
}

function decode(value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}
