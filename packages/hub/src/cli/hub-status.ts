/** What `GET status` of the control API answers, as far as the command line reads it. */
export interface HubStatus {
  readonly version: string;
  readonly pid: number;
  readonly mode: 'foreground' | 'background';
  readonly attached: number;
  readonly callsInFlight: number;
  readonly servers: readonly ServerReport[];
}

export interface ServerReport {
  readonly name: string;
  readonly state: string;
  readonly transport: 'http' | 'stdio';
  readonly target: string;
  readonly tools: number;
  /** Of a running stdio server. */
  readonly pid?: number | undefined;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string | undefined };
}
