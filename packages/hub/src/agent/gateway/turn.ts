/** One turn of an agent at a gateway: sends the message once, follows its run to the end, and sends it again if the conversation was busy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PincerError } from '../../core/errors.ts';
import { within } from '../../lib/time.ts';
import { tooLarge, type GatewaySocket } from '../../openclaw/socket.ts';
import { readMessage, type TurnEvent } from '../answer/read-event.ts';
import { followRun, readHistory, readRun, type RunName, type TurnEnd, type Waited } from './follow-run.ts';
import { deliver, type Gateway } from './gateway.ts';

/** Time limit for requests after the answer, for texts and files. */
export const AFTER_END_MS = 60_000;

export interface TurnOrder extends Order {
  /** Also stops the run in the gateway. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the run may have started, with its name; with undefined if it did not run after all. */
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
      const end = await sendTurn(gateway, order, attempt < MAX_MOVES);
      if (end === 'moved') {
        isSent = false;
        await sleep(pauseBefore(attempt));
        continue;
      }
      if (end.kind !== 'queued') return withWholeText(gateway, end);
      const isWithdrawn = await withdraw(gateway, end);
      if (isOver()) return { ...end, kind: 'aborted', text: '' };
      if (!isWithdrawn) return end;
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

async function withWholeText(gateway: Gateway, end: TurnEnd): Promise<TurnEnd> {
  if (end.kind !== 'final' || !mayBeCut(end.text, end.wasAway)) return end;
  const read = async (): Promise<string | undefined> => readWholeText(await gateway.connect(), end);
  const text = await within(read(), AFTER_END_MS).catch(() => undefined);
  return { ...end, text: text ?? end.text };
}

/** A text of this length may have been cut. */
const EVENT_CHARS = 500_000;
const WAIT_CHARS = 4_000;
/** The most that the gateway returns of one message. */
const MAX_CHARS = 2_000_000;

/** If the last message is long, events have only its end, and `agent.wait` only its beginning. */
const mayBeCut = (text: string, wasAway: boolean): boolean =>
  text.length >= (wasAway ? WAIT_CHARS : EVENT_CHARS);

/** Returns undefined if the gateway no longer has the message. */
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

interface WaitForTurn {
  /** How often the message was sent before. */
  readonly attempt: number;
  readonly signal?: AbortSignal | undefined;
}

/** How many of the last messages are read to find ours. */
const ROWS = 10;
const BUSY_WAIT_MS = 5_000;
const PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
const pauseBefore = (attempt: number): number => Math.min(PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);

/** OpenClaw refuses a message if another process changes the conversation while it is accepted. Nothing has run then. */
const MOVED = /session changed before [\w.]+; retry the request/;
/** How often a message is sent again for that reason. */
const MAX_MOVES = 5;
const isMoved = (error: unknown): boolean => PincerError.is(error) && MOVED.test(error.message);

/**
 * Withdraws a message that waits behind a turn of another process. OpenClaw would run it later under a name of its
 * own, so it is sent again when that turn has ended. Returns false if the agent has already read it.
 */
async function withdraw(gateway: Gateway, { runId, sessionKey }: RunName): Promise<boolean> {
  const socket = await gateway.reconnect();
  const { aborted } = await socket.request<{ aborted: boolean }>('chat.abort', { sessionKey, runId });
  if (!aborted) return false;
  const { messages } = await readHistory(socket, sessionKey, ROWS);
  return !messages.some(({ idempotencyKey }) => idempotencyKey === `${runId}:user`);
}

/** Resolves when no run is active in the conversation, or when the order is aborted. */
async function whenFree(
  gateway: Gateway,
  { sessionKey }: Pick<RunName, 'sessionKey'>,
  { attempt, signal }: WaitForTurn,
): Promise<void> {
  // After a turn was aborted, OpenClaw queues messages for a moment although it reports no active run.
  const pauseMs = pauseBefore(attempt);
  for (;;) {
    await sleep(pauseMs);
    if (signal?.aborted === true) return;
    const isBusy = await waitForActiveRun(await gateway.reconnect(), sessionKey).catch(stillBusyIfGone);
    if (!isBusy) return;
  }
}

/** Waits for the active run for a while. Returns whether there was one. */
async function waitForActiveRun(socket: GatewaySocket, sessionKey: string): Promise<boolean> {
  const { sessionInfo, inFlightRun } = await readHistory(socket, sessionKey, ROWS);
  if (sessionInfo?.hasActiveRun !== true) return false;
  if (inFlightRun !== undefined)
    await socket.request('agent.wait', { runId: inFlightRun.runId, timeoutMs: BUSY_WAIT_MS });
  return true;
}

/** A lost connection counts as busy, so that the next connection is asked. */
function stillBusyIfGone(error: unknown): boolean {
  if (PincerError.is(error) && error.code === 'SERVER_GONE') return true;
  throw error;
}

interface Accepted {
  readonly status: 'started' | 'accepted' | 'in_flight' | 'ok' | 'timeout' | (string & {});
}

/** How long to wait for the end of a run that was told to stop. */
const STOP_MS = 5_000;
const RUN_WAIT_MS = 30_000;
/** Close code "message too big" (RFC 6455, 7.4.1). */
const TOO_BIG = 1009;

/** Sends the message once and resolves with the end of its run; with `moved` if it did not run and may be sent again. */
async function sendTurn(gateway: Gateway, order: TurnOrder, mayMove: boolean): Promise<TurnEnd | 'moved'> {
  const runId = crypto.randomUUID();
  const ended = Promise.withResolvers<TurnEnd>();
  // It may reject after the caller has returned.
  ended.promise.catch(() => undefined);
  let socket = await gateway.connect();
  if (order.signal?.aborted === true)
    return { kind: 'aborted', runId, sessionKey: order.sessionKey, text: '' };
  const run = followRun(gateway, { ...order, runId, onEnd: ended.resolve });
  const { bootId } = socket.hello.server;
  const request = requestFor(order, runId);
  let isAccepted = false;
  /** Why the gateway refused the first request, so that nothing runs. */
  let refusal: unknown;
  let sends = 0;
  const over = new AbortController();

  /** Resolves with the end of the run if the response itself reports it. */
  async function send(): Promise<TurnEnd | undefined> {
    const isFirst = ++sends === 1;
    order.onRun?.(run.name());
    const { status } = await socket
      .request<Accepted>(request.method, request.params)
      .catch((error: unknown) => {
        if (isFirst) refusal = error;
        throw error;
      });
    isAccepted = true;
    if (status === 'timeout') return { ...run.name(), kind: 'aborted', text: '' };
    return status === 'ok' ? waitForEnd() : undefined;
  }

  async function waitForEnd(): Promise<TurnEnd | undefined> {
    while (!over.signal.aborted) {
      const waited = await socket.request<Waited>('agent.wait', { runId, timeoutMs: RUN_WAIT_MS });
      if (waited.status !== 'timeout') return run.endOf(waited);
    }
    return undefined;
  }

  /** Ignores a lost connection: the loop below asks again on the next one. */
  const settleWith = (work: Promise<TurnEnd | undefined>): void => {
    work.then(
      (end) => end && ended.resolve(end),
      (error: unknown) => {
        if (!PincerError.is(error) || error.code !== 'SERVER_GONE') ended.reject(error);
      },
    );
  };

  const stop = async (): Promise<void> => {
    const giveUp = (): void => ended.resolve({ ...run.name(), kind: 'aborted', text: '' });
    const timer = setTimeout(giveUp, STOP_MS).unref();
    void ended.promise.finally(() => clearTimeout(timer)).catch(() => undefined);
    // If the connection is lost just now, the run would go on.
    await deliver(gateway, 'chat.abort', { sessionKey: run.name().sessionKey, runId });
  };
  const onAbort = (): void => void stop().catch(() => undefined);
  order.signal?.addEventListener('abort', onAbort);

  try {
    settleWith(send());
    for (;;) {
      const end = await Promise.race([ended.promise, socket.closed]);
      if (typeof end === 'object') return end;
      if (!isAccepted && end === TOO_BIG) {
        const error = tooLarge();
        // The peer has not read this message, but it may have read one that was sent before.
        if (sends === 1) refusal = error;
        throw error;
      }
      const back = await Promise.race([ended.promise, gateway.reconnect()]);
      if ('kind' in back) return back;
      socket = back;
      if (socket.hello.server.bootId !== bootId) throw restarted();
      settleWith(isAccepted ? waitForEnd() : send());
    }
  } catch (error) {
    if (error === refusal) {
      order.onRun?.(undefined);
      if (mayMove && isMoved(error)) return 'moved';
    }
    throw error;
  } finally {
    over.abort();
    run.off();
    order.signal?.removeEventListener('abort', onAbort);
  }
}

const restarted = (): PincerError =>
  new PincerError('SERVER_GONE', 'The gateway of OpenClaw was restarted while its agent was working.', {
    hint: 'OpenClaw continues the work by itself. Ask for the result with the same sessionKey.',
  });

export interface Attachment {
  readonly type: 'image' | 'file';
  readonly mimeType: string;
  readonly fileName: string;
  /** Base64. */
  readonly content: string;
}

export interface Order {
  readonly message: string;
  /** From `sessionKeyFor`. */
  readonly sessionKey: string;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly agentId?: string | undefined;
  /** Whether a message such as `/status` is a command of OpenClaw's. */
  readonly commands?: boolean | undefined;
}

interface TurnRequest {
  readonly method: 'chat.send' | 'agent';
  readonly params: object;
}

/** The request that hands a text to the agent unchanged. No single method of the gateway does that for every text. */
export function requestFor(order: Order, runId: string): TurnRequest {
  const { message, sessionKey, attachments = [], agentId, commands = false } = order;
  const params = {
    message,
    sessionKey,
    // Sent twice, the message runs once. The key is also the id of the run.
    idempotencyKey: runId,
    ...(attachments.length > 0 && { attachments }),
    ...(agentId !== undefined && { agentId }),
  };
  // `chat.send` is preferred, because results of `agent` have no files.
  if (!commands && !isKeptByChat(message) && isKeptByAgent(message)) return { method: 'agent', params };
  return {
    method: 'chat.send',
    params: {
      ...params,
      ...(!commands && { suppressCommandInterpretation: true }),
      // By default OpenClaw would add the message to a turn that is already running.
      queueMode: 'followup',
    },
  };
}

// oxlint-disable-next-line no-control-regex -- these are what OpenClaw drops
const DROPPED = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;

/** `chat.send` normalizes a text to NFC and drops control characters. */
const isKeptByChat = (message: string): boolean =>
  !DROPPED.test(message) && message.normalize('NFC') === message;

const RESET = /^\/(new|reset)(\s|$)/i;

/** `agent` trims a text, and resets the conversation on two commands. */
const isKeptByAgent = (message: string): boolean => message.trim() === message && !RESET.test(message);
