/** What a server offered when it was last asked, as the control API tells it. */
export interface OfferReport {
  readonly name: string;
  /** Whether it has ever been asked. */
  readonly isKnown: boolean;
  readonly era?: string | undefined;
  readonly serverInfo?: { readonly name?: unknown; readonly version?: unknown } | undefined;
  readonly instructions?: string | undefined;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly templates: readonly string[];
}

export interface ProbeReport extends OfferReport {
  readonly ms: number;
}
