/** How a turn has ended, as the gateway's events or its answer to `agent.wait` tell it. */
import { isRecord } from '../../../lib/is-record.ts';
import { readEvent } from '../../answer/read-event.ts';
import type { TurnEvent } from '../../answer/turn-event.ts';
import type { Gateway } from '../connection/gateway.ts';

export interface RunName {
  readonly runId: string;
  /** As the gateway calls the conversation. */
  readonly sessionKey: string;
}

export type TurnEnd = RunName &
  (
    | {
        readonly kind: 'final';
        /** The last message of the turn. */
        readonly text: string;
        /** Whether it is worth looking for files. */
        readonly hasMedia: boolean;
        /** Whether it came while nobody listened, so that events are missing. */
        readonly wasAway: boolean;
      }
    | { readonly kind: 'error'; readonly message: string }
    /** With what had been said by then. */
    | { readonly kind: 'aborted'; readonly text: string }
    /** Somebody else is talking in this conversation, and the message was put behind their turn. */
    | { readonly kind: 'swallowed' }
  );

/** What `agent.wait` says. A run that is not known is one that has not ended, a pending one waits behind another. */
export interface Waited {
  readonly status: 'ok' | 'error' | 'timeout' | 'pending';
  readonly error?: string;
  readonly stopReason?: string;
  readonly terminalReply?: { readonly text?: string };
}

export interface FollowedRun {
  name(): RunName;
  endOf(waited: Waited): TurnEnd;
  off(): void;
}

export interface Follower extends RunName {
  /** The gateway has its own name for the conversation. */
  onRun?(run: RunName): void;
  onEvent?(event: TurnEvent): void;
  onEnd(end: TurnEnd): void;
}

const NO_REASON = 'The agent failed and did not say why.';

/** Follows the events of a run, and finds its end in them. */
export function followRun(
  gateway: Pick<Gateway, 'onEvent'>,
  { runId, sessionKey: asked, onRun, onEvent, onEnd }: Follower,
): FollowedRun {
  let sessionKey = asked;
  let hasMedia = false;
  let hasRun = false;
  /** Why it failed. An answer that stayed empty is then told as one that was stopped. */
  let failure: string | undefined;
  const name = (): RunName => ({ runId, sessionKey });

  function endIn({ how, text, reason }: Extract<TurnEvent, { kind: 'ended' }>): TurnEnd {
    if (how === 'failed') return { ...name(), kind: 'error', message: reason ?? NO_REASON };
    if (how === 'done')
      return hasRun || text !== undefined
        ? { ...name(), kind: 'final', text: text ?? '', hasMedia, wasAway: false }
        : { ...name(), kind: 'swallowed' };
    return failure === undefined
      ? { ...name(), kind: 'aborted', text: text ?? '' }
      : { ...name(), kind: 'error', message: failure };
  }

  const off = gateway.onEvent((kind, payload) => {
    // Every connection hears of all runs of the gateway.
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
    if (end?.kind !== 'swallowed') onEvent?.(event);
    if (end !== undefined) onEnd(end);
  });

  return {
    name,
    off,
    endOf({ status, error, stopReason, terminalReply }) {
      const isUnheard = !hasRun && terminalReply === undefined;
      if (status === 'pending' || (status === 'ok' && isUnheard)) return { ...name(), kind: 'swallowed' };
      // Nobody has listened all the time, so that there may be files.
      if (status === 'ok')
        return { ...name(), kind: 'final', text: terminalReply?.text ?? '', hasMedia: true, wasAway: true };
      if (stopReason === 'rpc' || stopReason === 'aborted') return { ...name(), kind: 'aborted', text: '' };
      return { ...name(), kind: 'error', message: error ?? NO_REASON };
    },
  };
}
