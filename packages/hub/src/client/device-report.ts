/** What the hub tells its clients of this machine. */
import type { NodeState } from '../core/node-state.ts';

export interface DeviceReport {
  /** False: the hub that runs does not offer it. */
  readonly isOffered: boolean;
  /** Served at `/` of the local listener. */
  readonly mcpServer?: boolean;
  readonly nodeMode?: boolean;
  readonly capabilities?: readonly CapabilityReport[];
  /** As a node of a gateway, where it is one. */
  readonly node?: NodeReport;
}

export type NodeReport = NodeState;

export interface CapabilityReport {
  readonly category: string;
  readonly states: readonly BackendReport[];
}

export interface BackendReport {
  /** A name of `device.capabilities`. */
  readonly switch: string;
  readonly enabled: boolean;
  readonly commands: readonly string[];
  readonly available: boolean;
  readonly backend?: string;
  /** What is missing; of what is available: why it might not be enough. */
  readonly reason?: string;
  readonly hint?: string;
}
