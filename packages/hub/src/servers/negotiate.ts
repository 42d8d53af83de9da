/** Finds the era that a server speaks: the wanted one first, then the other, on the same wire. */
import { PincerError } from '../core/errors.ts';
import { isRecord } from '../lib/record.ts';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION, RPC, type Era } from '../core/protocol.ts';
import { jsonBytes, parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import { CLIENT_INFO, ownParams } from './connection/call-params.ts';
import type { Connection } from './connection/connection.ts';

/** A server's `initialize` or `server/discover` result. */
export interface Introduction {
  readonly era: Era;
  readonly result: ByteText;
}

type Verdict =
  | { readonly offer: ByteText }
  | { readonly refusal: string; readonly error?: Record<string, unknown> };

/** Timeouts of the handshakes, and the capabilities that the server is told. */
export interface Terms {
  readonly legacyMs: number;
  readonly modernMs: number;
  /** `capabilities` of `initialize`, as a JSON object. */
  readonly capabilities: ByteText;
}

export async function negotiate(
  connection: Connection,
  server: string,
  wanted: Era,
  terms: Terms,
): Promise<Introduction> {
  const order: readonly Era[] = wanted === 'modern' ? ['modern', 'legacy'] : ['legacy', 'modern'];
  let refusal: string | undefined;
  for (const era of order) {
    let verdict = await probe(connection, era, terms);
    // A modern server may refuse the first request and list its versions.
    if ('error' in verdict && era === 'modern' && speaksModern(verdict.error))
      verdict = await probe(connection, era, terms);
    if ('offer' in verdict && accept(connection, era, verdict.offer)) return { era, result: verdict.offer };
    refusal ??= 'refusal' in verdict ? verdict.refusal : 'an answer without a supported version';
  }
  const message = `Server "${server}" speaks no version of MCP that Pincer supports: ${refusal}.`;
  throw new PincerError('SERVER_PROTOCOL', message, {
    hint: `Check servers.${server}: is this the right command or URL?`,
  });
}

const initializeParams = (capabilities: ByteText): ByteText =>
  `{"protocolVersion":"${LATEST_LEGACY_VERSION}","capabilities":${capabilities},` +
  `"clientInfo":${jsonBytes(CLIENT_INFO)}}`;

async function probe(connection: Connection, era: Era, terms: Terms): Promise<Verdict> {
  connection.speak(era, era === 'modern' ? MODERN_VERSION : undefined);
  const [method, params] =
    era === 'modern'
      ? ['server/discover', ownParams('modern')]
      : ['initialize', initializeParams(terms.capabilities)];
  const timeoutMs = era === 'modern' ? terms.modernMs : terms.legacyMs;
  try {
    const { result, error } = await connection.ask(method, params, timeoutMs);
    if (result !== undefined) return { offer: result };
    const reason = parseBytes(error!);
    return isRecord(reason)
      ? { refusal: String(reason['message']), error: reason }
      : { refusal: String(reason) };
  } catch (error) {
    // Over HTTP a server of the other era may refuse with a plain status: that is a "no", not a failure.
    const status = PincerError.is(error) ? error.data?.['status'] : undefined;
    if (status === 400 || status === 404 || status === 405) return { refusal: `HTTP ${status}` };
    // Some legacy servers ignore unknown methods.
    if (era === 'modern' && PincerError.is(error) && error.code === 'CALL_TIMEOUT')
      return { refusal: error.message };
    throw error;
  }
}

function speaksModern(error: Record<string, unknown> | undefined): boolean {
  const data = error?.['data'];
  const supported = isRecord(data) ? data['supported'] : undefined;
  return (
    error?.['code'] === RPC.unsupportedVersion &&
    Array.isArray(supported) &&
    supported.includes(MODERN_VERSION)
  );
}

function accept(connection: Connection, era: Era, offer: ByteText): boolean {
  const value = parseBytes(offer);
  if (!isRecord(value)) return false;
  const { protocolVersion, supportedVersions, capabilities } = value;
  if (era === 'modern') return Array.isArray(supportedVersions) && supportedVersions.includes(MODERN_VERSION);
  if (typeof protocolVersion !== 'string' || !LEGACY_VERSIONS.includes(protocolVersion)) return false;
  connection.speak('legacy', protocolVersion);
  connection.begin(isRecord(capabilities) && isRecord(capabilities['logging']));
  return true;
}
