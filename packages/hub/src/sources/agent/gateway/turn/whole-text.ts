/** The whole of a long last message: events have the end of it alone, and `agent.wait` its beginning. */
import { readMessage } from '../../answer/message.ts';
import { readRun } from './history.ts';
import type { GatewaySocket } from '../../../../openclaw/socket.ts';
import type { RunName } from './turn-end.ts';

/** What is as long as this may have been cut. */
const EVENT_CHARS = 500_000;
const WAIT_CHARS = 4_000;
/** The gateway gives no more of one message. */
const MAX_CHARS = 2_000_000;

export const mayBeCut = (text: string, wasAway: boolean): boolean =>
  text.length >= (wasAway ? WAIT_CHARS : EVENT_CHARS);

/** Undefined where the gateway does not have it any more. */
export async function readWholeText(socket: GatewaySocket, run: RunName): Promise<string | undefined> {
  const row = (await readRun(socket, run)).at(-1);
  const messageId = row?.__openclaw?.id;
  if (messageId === undefined) return undefined;
  const { message } = await socket.request<{ readonly message?: unknown }>('chat.message.get', {
    sessionKey: run.sessionKey,
    messageId,
    maxChars: MAX_CHARS,
  });
  return readMessage(message).text.trim() || undefined;
}
