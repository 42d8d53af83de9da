/** One turn of an agent: a message goes to it, and what it does comes back until it has ended. */
import type { TurnEvent } from '../../answer/turn-event.ts';
import type { Gateway } from '../connection/gateway.ts';
import type { Order } from './request-for.ts';
import { sendTurn } from './send-turn.ts';
import type { RunName, TurnEnd } from './turn-end.ts';
import { within } from '../../../lib/bounded-wait.ts';
import { readMessage } from '../../answer/message.ts';
import { readRun, readHistory } from './history.ts';
import type { GatewaySocket } from '../../../openclaw/socket.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { PincerError } from '../../../core/errors.ts';

/** Limit for what is fetched after the answer has come: useful, but not worth more. */
export const AFTER_END_MS = 60_000;

export interface TurnOrder extends Order {
  /** Stops the run in the gateway, too. */
  readonly signal?: AbortSignal | undefined;
  /** From now on it may run, under this name. Undefined: it did not after all, and will under another. */
  onRun?(run: RunName | undefined): void;
  onEvent?(event: TurnEvent): void;
}

export async function runTurn(gateway: Gateway, order: TurnOrder): Promise<TurnEnd> {
  using _held = gateway.hold();
  const { sessionKey, signal } = order;
  const never: TurnEnd = { kind: 'aborted', runId: '', sessionKey, text: '' };
  const isOver = (): boolean => signal?.aborted === true;
  let isSent = false;
  const cancelled = Promise.withResolvers<TurnEnd>();
  const cancel = (): void => {
    if (!isSent) cancelled.resolve(never);
  };
  signal?.addEventListener('abort', cancel);

  async function turn(): Promise<TurnEnd> {
    for (let attempt = 0; !isOver(); attempt++) {
      isSent = true;
      const end = await sendTurn(gateway, order);
      if (end.kind !== 'swallowed') return whole(gateway, end);
      const isBack = await takeBack(gateway, end);
      if (isOver()) return { ...end, kind: 'aborted', text: '' };
      if (!isBack) return end;
      isSent = false;
      order.onRun?.(undefined);
      await whenFree(gateway, end, { attempt, signal });
    }
    return never;
  }

  try {
    return await Promise.race([gateway.keys.run(sessionKey, turn), cancelled.promise]);
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

async function whole(gateway: Gateway, end: TurnEnd): Promise<TurnEnd> {
  if (end.kind !== 'final' || !mayBeCut(end.text, end.wasAway)) return end;
  const read = async (): Promise<string | undefined> => readWholeText(await gateway.connect(), end);
  const text = await within(read(), AFTER_END_MS).catch(() => undefined);
  return { ...end, text: text ?? end.text };
}

/** What is as long as this may have been cut. */
const EVENT_CHARS = 500_000;
const WAIT_CHARS = 4_000;
/** The gateway gives no more of one message. */
const MAX_CHARS = 2_000_000;

/** The whole of a long last message: events have the end of it alone, and `agent.wait` its beginning. */
const mayBeCut = (text: string, wasAway: boolean): boolean =>
  text.length >= (wasAway ? WAIT_CHARS : EVENT_CHARS);

/** Undefined where the gateway does not have it any more. */
async function readWholeText(socket: GatewaySocket, run: RunName): Promise<string | undefined> {
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

interface Patience {
  /** How often it has been sent before. */
  readonly attempt: number;
  readonly signal?: AbortSignal | undefined;
}

/** The message would be among the last ones. */
const ROWS = 10;
const WAIT_MS = 5_000;
const PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/**
 * A conversation in which somebody else is talking, from another process. OpenClaw lets a message wait behind
 * their turn, but then runs it under a name of its own: it is taken back while it waits, and sent anew when they
 * have ended. False: the agent has read it.
 */
async function takeBack(gateway: Gateway, { runId, sessionKey }: RunName): Promise<boolean> {
  const socket = await gateway.comeBack();
  const { aborted } = await socket.request<{ aborted: boolean }>('chat.abort', { sessionKey, runId });
  if (!aborted) return false;
  const { messages } = await readHistory(socket, sessionKey, ROWS);
  return !messages.some(({ idempotencyKey }) => idempotencyKey === `${runId}:user`);
}

/** Until nobody talks there, or nobody wants to know. */
async function whenFree(
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
