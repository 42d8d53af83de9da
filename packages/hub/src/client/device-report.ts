/** What the hub tells its clients of this machine. */
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

export interface NodeReport {
  readonly is: 'off' | 'connecting' | 'pending' | 'paired' | 'connected' | 'backoff';
  readonly since: number;
  readonly gateway?: string | undefined;
  readonly version?: string | undefined;
  readonly reason?: string | undefined;
  readonly hint?: string | undefined;
  readonly requestId?: string | undefined;
  readonly nextTryAt?: number | undefined;
  readonly commands?:
    | { readonly declared: readonly string[]; readonly usable: readonly string[] }
    | undefined;
}

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
  readonly reason?: string;
  readonly hint?: string;
}
