/** What a gateway tells of a run while it goes on, as it tells it. */
interface OfRun {
  readonly runId: string;
  readonly sessionKey: string;
  /** Counts per run, over both kinds of event. */
  readonly seq: number;
}

export interface ChatMessage {
  readonly role: string;
  readonly content?: readonly { readonly type: string; readonly text?: string }[] | string;
}

/** `chat`: what a person in the web chat sees. */
export type ChatEvent = OfRun &
  (
    | { readonly state: 'status'; readonly phase: string }
    | {
        readonly state: 'delta';
        /** What has come, or with `replace` all there is of the message. */
        readonly deltaText: string;
        readonly replace?: boolean;
        /** All there is of the message so far. */
        readonly message?: ChatMessage;
      }
    | { readonly state: 'final'; readonly message?: ChatMessage; readonly stopReason?: string }
    | { readonly state: 'aborted'; readonly message?: ChatMessage; readonly stopReason?: string }
    | {
        readonly state: 'error';
        readonly errorMessage?: string;
        readonly errorKind?: string;
        readonly errorDetail?: Readonly<Record<string, unknown>>;
      }
  );

/** `agent`: what happens inside. `data` is as the stream has it. */
export interface AgentEvent extends OfRun {
  readonly stream: 'lifecycle' | 'assistant' | 'tool' | 'item' | 'usage' | 'run_status' | (string & {});
  readonly data: Readonly<Record<string, unknown>>;
}

export type TurnEvent =
  | { readonly event: 'chat'; readonly payload: ChatEvent }
  | { readonly event: 'agent'; readonly payload: AgentEvent };

/** Every connection hears of all runs of the gateway: only those of this one are ours. */
export function eventOf(runId: string, event: string, payload: unknown): TurnEvent | undefined {
  if ((payload as OfRun | undefined)?.runId !== runId) return undefined;
  if (event === 'chat') return { event, payload: payload as ChatEvent };
  return event === 'agent' ? { event, payload: payload as AgentEvent } : undefined;
}

export const textOf = (message: ChatMessage | undefined): string =>
  typeof message?.content === 'string'
    ? message.content
    : (message?.content ?? []).flatMap(({ text }) => text ?? []).join('\n');
