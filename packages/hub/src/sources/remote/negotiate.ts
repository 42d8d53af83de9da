/** Finds the era that a server speaks: the wanted one first, then the other, on the same wire. */
import { PincerError } from '../../core/errors.ts';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION, type Era } from '../../core/protocol.ts';
import { jsonBytes, parseBytes } from '../../core/wire/byte-text.ts';
import { CLIENT_INFO, ownParams } from './call-params.ts';
import type { Connection } from './connection.ts';

/** What a server said to a probe: something that should have a version in it, or why not. */
type Verdict = { readonly offer: Readonly<Record<string, unknown>> } | { readonly refusal: string };

/** How long a server may take over each probe. */
export interface Patience {
  readonly legacyMs: number;
  readonly modernMs: number;
}

export async function negotiate(
  connection: Connection,
  server: string,
  wanted: Era,
  patience: Patience,
): Promise<void> {
  const order: readonly Era[] = wanted === 'modern' ? ['modern', 'legacy'] : ['legacy', 'modern'];
  let refusal: string | undefined;
  for (const era of order) {
    const verdict = await probe(connection, era, patience);
    if ('offer' in verdict && accept(connection, era, verdict.offer)) return;
    refusal ??= 'refusal' in verdict ? verdict.refusal : 'an answer without a version';
  }
  const message = `Server "${server}" speaks no version of MCP that Pincer knows: ${refusal}.`;
  throw new PincerError('SERVER_PROTOCOL', message, { hint: 'Is this the right command or URL?' });
}

const INITIALIZE_PARAMS = jsonBytes({
  protocolVersion: LATEST_LEGACY_VERSION,
  capabilities: {},
  clientInfo: CLIENT_INFO,
});

async function probe(connection: Connection, era: Era, { legacyMs, modernMs }: Patience): Promise<Verdict> {
  connection.speak(era, era === 'modern' ? MODERN_VERSION : undefined);
  const [method, params] =
    era === 'modern' ? ['server/discover', ownParams('modern')] : ['initialize', INITIALIZE_PARAMS];
  try {
    const { result, error } = await connection.ask(method, params, era === 'modern' ? modernMs : legacyMs);
    const answer = (parseBytes(result ?? error!) ?? {}) as Readonly<Record<string, unknown>>;
    return result === undefined ? { refusal: String(answer['message']) } : { offer: answer };
  } catch (error) {
    // Over HTTP a server of the other era answers so without JSON-RPC: that is a "no", not a failure.
    const status = PincerError.is(error) ? error.data?.['status'] : undefined;
    if (status === 400 || status === 404 || status === 405) return { refusal: `HTTP ${status}` };
    // Some legacy servers ignore what they do not know.
    if (era === 'modern' && PincerError.is(error) && error.code === 'CALL_TIMEOUT')
      return { refusal: error.message };
    throw error;
  }
}

function accept(connection: Connection, era: Era, offer: Readonly<Record<string, unknown>>): boolean {
  const { protocolVersion, supportedVersions } = offer;
  if (era === 'modern') return Array.isArray(supportedVersions) && supportedVersions.includes(MODERN_VERSION);
  if (typeof protocolVersion !== 'string' || !LEGACY_VERSIONS.includes(protocolVersion)) return false;
  connection.speak('legacy', protocolVersion);
  connection.tell('notifications/initialized', '{}');
  return true;
}
