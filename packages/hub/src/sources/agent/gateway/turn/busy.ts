/**
 * A conversation in which somebody else is talking, from another process. OpenClaw lets a message wait behind their turn,
 * but then runs it under a name of its own: it is taken back while it waits, and sent anew when they have ended.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PincerError } from '../../../../core/errors.ts';
import type { Gateway } from '../connection/gateway.ts';
import { readHistory } from './history.ts';
import type { GatewaySocket } from '../../../../openclaw/socket.ts';
import type { RunName } from './turn-end.ts';

export interface Patience {
  /** How often it has been sent before. */
  readonly attempt: number;
  readonly signal?: AbortSignal | undefined;
}

/** The message would be among the last ones. */
const ROWS = 10;
const WAIT_MS = 5_000;
const PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** False: the agent has read it. */
export async function takeBack(gateway: Gateway, { runId, sessionKey }: RunName): Promise<boolean> {
  const socket = await gateway.comeBack();
  const { aborted } = await socket.request<{ aborted: boolean }>('chat.abort', { sessionKey, runId });
  if (!aborted) return false;
  const { messages } = await readHistory(socket, sessionKey, ROWS);
  return !messages.some(({ idempotencyKey }) => idempotencyKey === `${runId}:user`);
}

/** Until nobody talks there, or nobody wants to know. */
export async function whenFree(
  gateway: Gateway,
  { sessionKey }: Pick<RunName, 'sessionKey'>,
  { attempt, signal }: Patience,
): Promise<void> {
  // A turn that was cut off keeps others waiting for a moment in which nothing is said to run.
  const pauseMs = Math.min(PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
  for (;;) {
    await sleep(pauseMs);
    if (signal?.aborted === true) return;
    const isBusy = await waitABit(await gateway.comeBack(), sessionKey).catch(stillBusyIfGone);
    if (!isBusy) return;
  }
}

/** Whether somebody talks there, which is waited for. */
async function waitABit(socket: GatewaySocket, sessionKey: string): Promise<boolean> {
  const { sessionInfo, inFlightRun } = await readHistory(socket, sessionKey, ROWS);
  if (sessionInfo?.hasActiveRun !== true) return false;
  if (inFlightRun !== undefined)
    await socket.request('agent.wait', { runId: inFlightRun.runId, timeoutMs: WAIT_MS });
  return true;
}

/** On the next connection it is asked again. */
function stillBusyIfGone(error: unknown): boolean {
  if (PincerError.is(error) && error.code === 'SERVER_GONE') return true;
  throw error;
}
