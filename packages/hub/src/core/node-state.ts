/** How it stands between this machine and its gateway. */

/**
 * `off`: there is no gateway to connect to. `pending`: the gateway does not let this device in until somebody has approved it.
 * `paired`: it is let in, and none of its commands may be used yet. `connected`: some may. `backoff`: it is tried again.
 */
export type NodeStateName = 'off' | 'connecting' | 'pending' | 'paired' | 'connected' | 'backoff';

export interface NodeState {
  readonly is: NodeStateName;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The gateway's address as anybody may see it. */
  readonly gateway?: string | undefined;
  /** Of OpenClaw there. */
  readonly version?: string | undefined;
  readonly reason?: string | undefined;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** What has to be approved on the gateway. */
  readonly requestId?: string | undefined;
  /** When it is tried again. */
  readonly nextTryAt?: number | undefined;
  readonly commands?: CommandReport | undefined;
}

/** For whoever looks at it. */
export interface NodeView {
  /** Undefined: it is to be no node. */
  state(): NodeState | undefined;
  /** Told after each change. */
  onChange(listener: (state: NodeState | undefined) => void): () => void;
}

export interface CommandReport {
  readonly declared: readonly string[];
  /** Those that the gateway lets people and agents use now. */
  readonly usable: readonly string[];
}
