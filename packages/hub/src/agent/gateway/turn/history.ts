/** What the gateway keeps of a conversation. */
import { readMessage } from '../../answer/message.ts';
import type { Gateway } from '../connection/gateway.ts';
import type { GatewaySocket } from '../../../openclaw/socket.ts';
import type { RunName } from './turn-end.ts';

/** Of a long message, it has the beginning. */
export interface Row {
  readonly role: string;
  readonly content?: unknown;
  /** Of a person's message: what it was sent with. */
  readonly idempotencyKey?: string;
  readonly __openclaw?: { readonly id?: string; readonly runId?: string };
}

export interface History {
  readonly messages: readonly Row[];
  readonly sessionInfo?: { readonly hasActiveRun?: boolean };
  readonly inFlightRun?: { readonly runId: string };
}

/** With the last `limit` messages. */
export const readHistory = (socket: GatewaySocket, sessionKey: string, limit: number): Promise<History> =>
  socket.request<History>('chat.history', { sessionKey, limit });

/** A turn has three for each use of a tool. */
const ROWS_OF_RUN = 200;

/** What the agent said and did in a run. */
export async function readRun(
  socket: GatewaySocket,
  { runId, sessionKey }: RunName,
): Promise<readonly Row[]> {
  const { messages } = await readHistory(socket, sessionKey, ROWS_OF_RUN);
  return messages.filter(({ role, __openclaw: its }) => role === 'assistant' && its?.runId === runId);
}

/** The texts of its messages with their lines; none where they cannot be had. */
export async function readTexts(gateway: Gateway, run: RunName): Promise<readonly string[]> {
  try {
    const rows = await readRun(await gateway.connect(), run);
    return rows.map((row) => readMessage(row).text);
  } catch {
    return [];
  }
}
