/** Something that a gateway asks in the middle of a run: a person's word on what an agent would do, or an answer. */
export interface Asked {
  readonly id: string;
  /** What it is asked for, where the gateway says it. */
  readonly runId: string | undefined;
  /** As the gateway calls the conversation. */
  readonly sessionKey: string | undefined;
}

export type AskedNews<T extends Asked> =
  | { readonly kind: 'requested'; readonly asked: T }
  /** Somebody has answered, the time is over, or the run has ended. */
  | { readonly kind: 'resolved'; readonly id: string };

/** A run as it is known here. */
export interface AskingRun {
  /** Of `chat.send`. */
  readonly runId: string;
  /** As the gateway calls the conversation. */
  sessionKey(): string;
}

export const isAskedBy = (run: AskingRun, { runId, sessionKey }: Omit<Asked, 'id'>): boolean =>
  runId === undefined ? sessionKey === run.sessionKey() : runId === run.runId;
