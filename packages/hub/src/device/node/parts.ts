/** The interfaces of a node. */
import type { Clock, DeviceIdentity, Log } from '../../core/ports.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import type { NodeState } from '../../core/node-state.ts';

/** What the gateway may invoke: categories and commands. */
export interface Declared {
  readonly caps: readonly string[];
  readonly commands: readonly string[];
}

/** One invocation of the gateway. */
export interface Invocation {
  readonly command: string;
  /** A JSON object, as the gateway wrote it. */
  readonly paramsJSON: string;
  /** The session as the gateway names it. Never taken from the parameters. */
  readonly session: string | undefined;
  /** The gateway's timeout for the whole invocation. */
  readonly timeoutMs: number | undefined;
  /** Aborted when the gateway cancels or its deadline passes. */
  readonly signal: AbortSignal;
  progress(report: InvocationProgress): void;
}

export interface InvocationProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export type InvocationResult =
  /** `payloadJSON` is one JSON value. */
  | { readonly ok: true; readonly payloadJSON: string }
  | { readonly ok: false; readonly error: InvocationFailure };

export interface InvocationFailure {
  readonly code: string;
  readonly message: string;
}

/** A tool that agents of the gateway get beside the commands of this machine. */
export interface PublishedTool {
  readonly server: string;
  /** The name at its server. */
  readonly tool: string;
  /** The name that agents see. */
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface GatewayNodeParts {
  readonly identity: DeviceIdentity;
  /** Called before each connection, because settings may have changed. */
  find(): GatewayAddress | { readonly reason: string };
  /** Valid for one pairing, and only for this address. */
  readonly bootstrap?: { readonly url: string; readonly token: string } | undefined;
  /** Commands that are switched on and can work here. */
  commands(): Declared | Promise<Declared>;
  invoke(invocation: Invocation): Promise<InvocationResult>;
  /** Whether agents get tools of other sources. If not, the command that calls them is not declared. */
  publishes(): boolean;
  /** Tools of other sources that agents get now. */
  tools(): readonly PublishedTool[];
  /** The name in the gateway's list of nodes. Absent: Pincer. */
  readonly name?: string | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits: { readonly maxNodeCalls: number };
  /** How often the node asks a gateway whether a person has approved this device. */
  readonly pendingRetryMs?: number | undefined;
  /** How long a gateway may take to answer. */
  readonly answerMs?: number | undefined;
}

/** A person's action on a canvas, for the agent that shows it. */
export interface AgentRequest {
  readonly message: string;
  readonly sessionKey?: string | undefined;
  /** Two requests with the same key are the same action. */
  readonly key?: string | undefined;
}

export interface GatewayNode {
  state(): NodeState;
  /** Called after each change. Returns a function that unsubscribes. */
  onChange(listener: (state: NodeState) => void): () => void;
  /** Call it when settings, switches or tools may have changed. */
  reconsider(): void;
  /** Reconnects: a gateway reads its permissions when a node connects. */
  refresh(): void;
  /** False if no gateway accepted it. */
  sendAction(request: AgentRequest): Promise<boolean>;
  close(): Promise<void>;
}
