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
  /** How long the gateway waits in all. */
  readonly timeoutMs: number | undefined;
  /** Aborted when the gateway no longer wants it, or no longer waits. */
  readonly signal: AbortSignal;
  progress(said: InvocationProgress): void;
}

export interface InvocationProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export type InvocationResult =
  /** A whole JSON value. */
  | { readonly ok: true; readonly payloadJSON: string }
  | { readonly ok: false; readonly error: InvocationFailure };

export interface InvocationFailure {
  readonly code: string;
  readonly message: string;
}

/** A tool that agents of the gateway get beside the commands of this machine. */
export interface PublishedTool {
  readonly server: string;
  /** As its server calls it. */
  readonly tool: string;
  /** As agents see it. */
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface GatewayNodeParts {
  readonly identity: DeviceIdentity;
  /** Asked before each connection: settings may have changed. */
  find(): GatewayAddress | { readonly reason: string };
  /** Good for one pairing, and for this address alone. */
  readonly bootstrap?: { readonly url: string; readonly token: string } | undefined;
  /** What is switched on and can work here. */
  commands(): Declared | Promise<Declared>;
  invoke(invocation: Invocation): Promise<InvocationResult>;
  /** Whether agents get tools of other sources at all. If not, the command that calls them is not declared. */
  publishes(): boolean;
  /** Those that they get now. */
  tools(): readonly PublishedTool[];
  /** For people who look at the gateway's list; absent: Pincer. */
  readonly name?: string | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits: { readonly maxNodeCalls: number };
  /** How often a gateway is asked whether somebody has approved this device. */
  readonly pendingRetryMs?: number | undefined;
  /** How long a gateway may take to answer. */
  readonly answerMs?: number | undefined;
}

/** What a person did on a canvas, for the agent that shows it. */
export interface AgentRequest {
  readonly message: string;
  readonly sessionKey?: string | undefined;
  /** The same key twice is the same action. */
  readonly key?: string | undefined;
}

export interface GatewayNode {
  state(): NodeState;
  /** Called after each change. Returns a function that unsubscribes. */
  onChange(listener: (state: NodeState) => void): () => void;
  /** Settings, switches or tools may have changed. */
  reconsider(): void;
  /** Reconnects: a gateway reads its permissions when a node connects. */
  refresh(): void;
  /** False if no gateway accepted it. */
  sendAction(request: AgentRequest): Promise<boolean>;
  close(): Promise<void>;
}
