/** What a policy says of one command. */
export type Verdict = { readonly decision: 'allow' | 'ask' } | Refusal;

export interface Refusal {
  readonly decision: 'deny';
  /** The documented one. */
  readonly text: string;
  readonly hint: string;
}

/** As other nodes of OpenClaw say it. */
export const refusalText = (code: string, reason: string): string => `exec-approvals-v2: ${code} (${reason})`;
