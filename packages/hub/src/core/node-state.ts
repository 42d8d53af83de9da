/** This node's connection state with its gateway. */

/**
 * `off`: no gateway to connect to. `pending`: the gateway waits for a person to approve this device. `paired`: approved,
 * but none of its commands may be used yet. `connected`: some commands may be used. `backoff`: waits for the next try.
 */
export type NodeStateName = 'off' | 'connecting' | 'pending' | 'paired' | 'connected' | 'backoff';

export interface NodeState {
  readonly is: NodeStateName;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The gateway's address without secrets. */
  readonly gateway?: string | undefined;
  /** The gateway's version of OpenClaw. */
  readonly version?: string | undefined;
  readonly reason?: string | undefined;
  /** The next step for a person. */
  readonly hint?: string | undefined;
  /** The request to approve on the gateway. */
  readonly requestId?: string | undefined;
  /** Time of the next connection attempt. */
  readonly nextTryAt?: number | undefined;
  readonly commands?: CommandReport | undefined;
}

/** Read access to the node state. */
export interface NodeView {
  /** Undefined if this machine is not configured as a node. */
  state(): NodeState | undefined;
  /** Called after each change. */
  onChange(listener: (state: NodeState | undefined) => void): () => void;
}

export interface CommandReport {
  readonly declared: readonly string[];
  /** Commands that the gateway currently lets people and agents use. */
  readonly usable: readonly string[];
}
