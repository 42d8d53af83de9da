/** What a policy says of one command. */
export type Verdict = Allowed | { readonly decision: 'ask' } | Refusal;

export interface Allowed {
  readonly decision: 'allow';
  /** By an entry or a rule, which is for what was seen; false: everything runs (`security: full`). */
  readonly isStanding: boolean;
}

export interface Refusal {
  readonly decision: 'deny';
  /** The documented one. */
  readonly text: string;
  readonly hint: string;
}

/** As other nodes of OpenClaw say it. */
export const refusalText = (code: string, reason: string): string => `exec-approvals-v2: ${code} (${reason})`;
