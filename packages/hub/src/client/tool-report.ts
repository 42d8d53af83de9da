/** A tool as the control API tells of it. */
export interface ToolReport {
  readonly server: string;
  readonly name: string;
  /** What it is called beside the tools of other servers. */
  readonly exposed?: string;
  readonly definition: ToolDefinition;
}

export interface ToolDefinition {
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}
