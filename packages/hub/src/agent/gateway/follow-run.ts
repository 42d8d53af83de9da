/** Follows one run of a gateway: its events, its end, and its messages in the history. */
import { isRecord } from '../../lib/record.ts';
import type { GatewaySocket } from '../../openclaw/socket.ts';
import { readEvent, readMessage, type TurnEvent } from '../answer/read-event.ts';
import type { Gateway } from './gateway.ts';

export interface RunName {
  readonly runId: string;
  /** The gateway's name of the conversation. */
  readonly sessionKey: string;
}

export type TurnEnd = RunName &
  (
    | {
        readonly kind: 'final';
        /** The last message of the turn. */
        readonly text: string;
        /** Whether there may be files. */
        readonly hasMedia: boolean;
        /** Whether the connection was lost meanwhile, so that events may be missing. */
        readonly wasAway: boolean;
      }
    | { readonly kind: 'error'; readonly message: string }
    /** With the text so far. */
    | { readonly kind: 'aborted'; readonly text: string }
    /** The conversation was busy, and OpenClaw queued the message behind another turn. */
    | { readonly kind: 'queued' }
  );

/** Result of `agent.wait`. It reports an unknown run as `timeout`, and one that waits behind another as `pending`. */
export interface Waited {
  readonly status: 'ok' | 'error' | 'timeout' | 'pending';
  readonly error?: string;
  readonly stopReason?: string;
  readonly terminalReply?: { readonly text?: string };
}

interface FollowedRun {
  name(): RunName;
  endOf(waited: Waited): TurnEnd;
  off(): void;
}

interface Follower extends RunName {
  /** The gateway reported its own name of the conversation. */
  onRun?(run: RunName): void;
  onEvent?(event: TurnEvent): void;
  onEnd(end: TurnEnd): void;
}

const NO_REASON = 'The agent failed and did not say why.';

/** Reads the events of a run and finds its end. */
export function followRun(
  gateway: Pick<Gateway, 'onEvent'>,
  { runId, sessionKey: asked, onRun, onEvent, onEnd }: Follower,
): FollowedRun {
  let sessionKey = asked;
  let hasMedia = false;
  let hasRun = false;
  /** The last error. OpenClaw reports a run that failed without any text as aborted. */
  let failure: string | undefined;
  const name = (): RunName => ({ runId, sessionKey });

  function endIn({ how, text, reason }: Extract<TurnEvent, { kind: 'ended' }>): TurnEnd {
    if (how === 'failed') return { ...name(), kind: 'error', message: reason ?? NO_REASON };
    if (how === 'done')
      return hasRun || text !== undefined
        ? { ...name(), kind: 'final', text: text ?? '', hasMedia, wasAway: false }
        : { ...name(), kind: 'queued' };
    return failure === undefined
      ? { ...name(), kind: 'aborted', text: text ?? '' }
      : { ...name(), kind: 'error', message: failure };
  }

  const off = gateway.onEvent((kind, payload) => {
    // Every connection receives the events of all runs.
    if (!isRecord(payload) || payload['runId'] !== runId) return;
    const { sessionKey: its } = payload;
    if (typeof its === 'string' && its !== sessionKey) {
      sessionKey = its;
      onRun?.(name());
    }
    hasRun ||= kind === 'agent';
    const event = readEvent(kind, payload, runId);
    if (event === undefined) return;
    if (event.kind === 'said') hasMedia ||= event.media.length > 0;
    if (event.kind === 'troubled') failure = event.message;
    const end = event.kind === 'ended' ? endIn(event) : undefined;
    if (end?.kind !== 'queued') onEvent?.(event);
    if (end !== undefined) onEnd(end);
  });

  return {
    name,
    off,
    endOf({ status, error, stopReason, terminalReply }) {
      const isUnheard = !hasRun && terminalReply === undefined;
      if (status === 'pending' || (status === 'ok' && isUnheard)) return { ...name(), kind: 'queued' };
      // Events may be missing, so there may be files.
      if (status === 'ok')
        return { ...name(), kind: 'final', text: terminalReply?.text ?? '', hasMedia: true, wasAway: true };
      if (stopReason === 'rpc' || stopReason === 'aborted') return { ...name(), kind: 'aborted', text: '' };
      return { ...name(), kind: 'error', message: error ?? NO_REASON };
    },
  };
}

/** A message of the history. A long one is cut at its end. */
interface Row {
  readonly role: string;
  readonly content?: unknown;
  /** The key that a message to the agent was sent with. */
  readonly idempotencyKey?: string;
  readonly __openclaw?: { readonly id?: string; readonly runId?: string };
}

interface History {
  readonly messages: readonly Row[];
  readonly sessionInfo?: { readonly hasActiveRun?: boolean };
  readonly inFlightRun?: { readonly runId: string };
}

/** Reads the last `limit` messages. */
export const readHistory = (socket: GatewaySocket, sessionKey: string, limit: number): Promise<History> =>
  socket.request<History>('chat.history', { sessionKey, limit });

/** A turn has three messages for each use of a tool. */
const ROWS_OF_RUN = 200;

/** Reads the messages of the agent in a run. */
export async function readRun(
  socket: GatewaySocket,
  { runId, sessionKey }: RunName,
): Promise<readonly Row[]> {
  const { messages } = await readHistory(socket, sessionKey, ROWS_OF_RUN);
  return messages.filter(({ role, __openclaw: its }) => role === 'assistant' && its?.runId === runId);
}

/** Reads the texts of these messages with their line breaks. Returns none if that fails. */
export async function readTexts(gateway: Gateway, run: RunName): Promise<readonly string[]> {
  try {
    const rows = await readRun(await gateway.connect(), run);
    return rows.map((row) => readMessage(row).text);
  } catch {
    return [];
  }
}
