/** What `POST approvals/ask` of the control API answers: what will become of a call that is about to be sent. */
export type AskedAhead =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly message: string; readonly hint?: string | undefined }
  | ({ readonly decision: 'ask' } & AskedQuestion);

/** Open at the hub: it is to be decided, or taken back. */
export interface AskedQuestion {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  /** Redacted JSON text, for people. */
  readonly arguments: string;
  /** The list of approvals shows more of them. */
  readonly isCut: boolean;
}
