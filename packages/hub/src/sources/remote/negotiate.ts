/** Finds the era that a server speaks: the wanted one first, then the other, on the same wire. */
import { PincerError } from '../../core/errors.ts';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION, type Era } from '../../core/protocol.ts';
import { jsonBytes, parseBytes } from '../../core/wire/byte-text.ts';
import type { Message } from '../../core/wire/message.ts';
import { VERSION } from '../../version.ts';
import { ownMeta } from './call-params.ts';
import type { Connection } from './connection.ts';

export async function negotiate(
  connection: Connection,
  server: string,
  wanted: Era,
  timeoutMs: number,
): Promise<void> {
  const order: readonly Era[] = wanted === 'modern' ? ['modern', 'legacy'] : ['legacy', 'modern'];
  let refusal: string | undefined;
  for (const era of order) {
    const answer = await (era === 'modern'
      ? discover(connection, timeoutMs)
      : initialize(connection, timeoutMs));
    if (answer.result !== undefined && accept(connection, era, parseBytes(answer.result))) return;
    refusal ??= answer.error === undefined ? 'an answer without a version' : String(readMessage(answer));
  }
  throw new PincerError(
    'SERVER_PROTOCOL',
    `Server "${server}" speaks no version of MCP that Pincer knows: ${refusal}.`,
    {
      hint: 'Is this the right command or URL?',
    },
  );
}

const initialize = (connection: Connection, timeoutMs: number): Promise<Message> =>
  askOrRefusal(
    connection.ask(
      'initialize',
      jsonBytes({
        protocolVersion: LATEST_LEGACY_VERSION,
        capabilities: {},
        clientInfo: { name: 'pincer', version: VERSION },
      }),
      timeoutMs,
    ),
  );

const discover = (connection: Connection, timeoutMs: number): Promise<Message> =>
  askOrRefusal(connection.ask('server/discover', ownMeta('modern'), timeoutMs));

/** Over HTTP a server of the other era answers 400, 404 or 405 without JSON-RPC: that is a "no", not a failure. */
async function askOrRefusal(answer: Promise<Message>): Promise<Message> {
  try {
    return await answer;
  } catch (error) {
    const status = PincerError.is(error) ? error.data?.['status'] : undefined;
    if (status !== 400 && status !== 404 && status !== 405) throw error;
    const refusal = jsonBytes({ message: `HTTP ${status}` });
    return {
      id: undefined,
      method: undefined,
      params: [],
      meta: [],
      result: undefined,
      error: refusal,
      extra: '',
      isError: false,
    };
  }
}

function accept(connection: Connection, era: Era, result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false;
  const { protocolVersion, supportedVersions } = result as {
    protocolVersion?: unknown;
    supportedVersions?: unknown;
  };
  if (era === 'modern') {
    if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN_VERSION)) return false;
    connection.negotiated('modern', MODERN_VERSION);
    return true;
  }
  if (typeof protocolVersion !== 'string' || !LEGACY_VERSIONS.includes(protocolVersion)) return false;
  connection.negotiated('legacy', protocolVersion);
  connection.tell('notifications/initialized', '{}');
  return true;
}

const readMessage = (answer: Message): unknown =>
  (parseBytes(answer.error!) as { message?: unknown } | null)?.message;
