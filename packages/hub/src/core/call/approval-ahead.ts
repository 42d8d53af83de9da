/**
 * A question ahead of its call: a program such as OpenClaw shows it to the person in its own way, and sends the call when
 * they have said yes. It is the question that the call itself would raise, so that nobody is asked twice.
 */
import type { Approvals } from '../approvals/approvals.ts';
import { approvalDenied } from '../approvals/refusals.ts';
import { requestOf } from './approval-step.ts';
import { textOf } from '../approvals/subject.ts';
import { findRoute, type Addressed, type RouteParts } from './route.ts';
import type { PincerError } from '../errors.ts';
import { decisionFor, policyDenied, type Policy } from '../policy.ts';

export interface AheadParts extends RouteParts {
  readonly policy: () => Policy;
  readonly approvals: Pick<Approvals, 'known' | 'askElsewhere' | 'ttlMs'>;
}

export type Foretold =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly reason: PincerError }
  | { readonly decision: 'ask'; readonly question: Question };

export interface Question {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  /** Redacted JSON text of at most as many bytes as were asked for. */
  readonly arguments: string;
  /** The list of approvals shows more of the arguments. */
  readonly isCut: boolean;
}

/** What will become of a call. Where it leads nowhere there is nothing to ask about, and the call itself is told so. */
export function askAhead(parts: AheadParts, call: Addressed, maxBytes: number): Foretold {
  const route = findRoute(parts, call);
  if (route === undefined) return { decision: 'allow' };
  const decision = decisionFor(call.method, parts.policy().decide(call.caller, route.scoped));
  if (decision === 'allow') return { decision };
  if (decision === 'deny') return { decision, reason: policyDenied(call.method, route.scoped) };
  const request = requestOf({ call, route }, route.params);
  const known = parts.approvals.known(request);
  if (known?.state === 'allowed') return { decision: 'allow' };
  if (known?.state === 'denied')
    return { decision: 'deny', reason: approvalDenied(request, known.id, parts.approvals.ttlMs) };
  const { id, arguments: whole } = parts.approvals.askElsewhere(request);
  const { server, tool, arguments: shown } = textOf(request, maxBytes);
  return { decision, question: { id, server, tool, arguments: shown, isCut: shown !== whole } };
}
