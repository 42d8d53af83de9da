/** How a turn has ended, as the gateway's events or its answer to `agent.wait` tell it. */
import type { Gateway } from './gateway.ts';
import { eventOf, textOf, type AgentEvent, type TurnEvent } from './turn-event.ts';

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
    | {
        readonly kind: 'error';
        readonly message: string;
        readonly detail?: Readonly<Record<string, unknown>>;
      }
    /** With what had been said by then. */
    | { readonly kind: 'aborted'; readonly text: string }
    /** Somebody else is talking in this conversation: OpenClaw has put the message into their turn. */
    | { readonly kind: 'swallowed' }
  );

/** What `agent.wait` says. A run that is not known is one that has not ended. */
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
  onEvent?(event: TurnEvent): void;
  onEnd(end: TurnEnd): void;
}

/** Follows the events of a run, and finds its end in them. */
export function followRun(
  gateway: Pick<Gateway, 'onEvent'>,
  { runId, sessionKey: asked, onEvent, onEnd }: Follower,
): FollowedRun {
  let sessionKey = asked;
  let hasMedia = false;
  let hasRun = false;
  /** Why it failed. An answer that stayed empty is then told as one that was stopped. */
  let failure: string | undefined;
  const name = (): RunName => ({ runId, sessionKey });

  function endIn(event: TurnEvent): TurnEnd | undefined {
    if (event.event !== 'chat') return undefined;
    const { payload } = event;
    switch (payload.state) {
      case 'final':
        if (!hasRun && payload.message === undefined) return { ...name(), kind: 'swallowed' };
        return { ...name(), kind: 'final', text: textOf(payload.message), hasMedia, wasAway: false };
      case 'aborted':
        if (failure !== undefined) return { ...name(), kind: 'error', message: failure };
        return { ...name(), kind: 'aborted', text: textOf(payload.message) };
      case 'error': {
        const { errorMessage = 'The agent failed and did not say why.', errorDetail } = payload;
        return {
          ...name(),
          kind: 'error',
          message: errorMessage,
          ...(errorDetail !== undefined && { detail: errorDetail }),
        };
      }
      case 'status':
      case 'delta':
        return undefined;
    }
  }

  const off = gateway.onEvent((kind, payload) => {
    const event = eventOf(runId, kind, payload);
    if (event === undefined) return;
    ({ sessionKey } = event.payload);
    if (event.event === 'agent') {
      hasRun = true;
      hasMedia ||= event.payload.data['mediaUrls'] !== undefined;
      failure = failureIn(event.payload) ?? failure;
    }
    onEvent?.(event);
    const found = endIn(event);
    if (found !== undefined) onEnd(found);
  });

  return {
    name,
    off,
    endOf({ status, error, stopReason, terminalReply }) {
      // Nobody has listened all the time, so that there may be files.
      if (status === 'ok')
        return { ...name(), kind: 'final', text: terminalReply?.text ?? '', hasMedia: true, wasAway: true };
      if (stopReason === 'rpc' || stopReason === 'aborted') return { ...name(), kind: 'aborted', text: '' };
      return { ...name(), kind: 'error', message: error ?? 'The agent failed and did not say why.' };
    },
  };
}

function failureIn({ stream, data }: AgentEvent): string | undefined {
  const { phase, aborted, error } = data;
  if (stream !== 'lifecycle' || phase !== 'error' || aborted === true) return undefined;
  return typeof error === 'string' ? error : undefined;
}
