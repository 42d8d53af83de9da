/**
 * Asks for approval ahead of a call: a program such as OpenClaw shows the question in its own way, and sends the call
 * after a yes. It is the same approval that the call would need, so the person is asked once.
 */
import type { Approvals } from '../approvals/approvals.ts';
import { approvalDenied } from '../approvals/refusals.ts';
import { subjectOf } from './approval-step.ts';
import { sourceRequest } from './round.ts';
import { STRANGER } from '../client.ts';
import { textOf, type ApprovalRequest } from '../approvals/subject.ts';
import { decisionWith, decisionFor, policyDenied, type Policy } from '../policy.ts';
import { findRoute, type Addressed, type Route, type RouteParts } from './route.ts';
import { PincerError } from '../errors.ts';
import { TOKENS_ONLY } from '../redact/hide-tokens.ts';
import { redactArguments } from '../redact/redact.ts';
import { toByteText } from '../wire/byte-text.ts';
import type { Prepared, Source } from '../request.ts';

export interface AheadParts extends RouteParts {
  readonly policy: () => Policy;
  readonly source: (server: string) => Source | undefined;
  readonly approvals: Pick<Approvals, 'known' | 'ask' | 'askElsewhere' | 'ttlMs'>;
}

export type Foretold =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly reason: PincerError }
  | { readonly decision: 'ask'; readonly question: Question };

export interface Question {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  /** The full JSON text; if it exceeds the requested size, a redacted beginning. */
  readonly arguments: string;
  /** Not shown in full, so it must not be allowed from there. The list of approvals has the full text. */
  readonly isCut: boolean;
}

/** Predicts the decision about a call. A call without a route needs no question; the call itself will fail. */
export async function askAhead(parts: AheadParts, call: Addressed, maxBytes: number): Promise<Foretold> {
  const route = findRoute(parts, call);
  if (route === undefined) return { decision: 'allow' };
  const byPolicy = decisionFor(call.method, parts.policy().decide(call.caller, route.scoped));
  const prepared = byPolicy === 'deny' ? undefined : await prepare(parts, call, route);
  const decision = decisionWith(byPolicy, prepared);
  if (decision === 'allow') return { decision };
  if (decision === 'deny') return { decision, reason: policyDenied(call.method, route.scoped) };
  const request = subjectOf({ call, route, subject: prepared?.subject }, route.params);
  const known = parts.approvals.known(request);
  if (known?.state === 'allowed') return { decision: 'allow' };
  if (known?.state === 'denied')
    return { decision: 'deny', reason: approvalDenied(request, known.id, parts.approvals.ttlMs) };
  return ask(parts, request, maxBytes);
}

/** A subject that does not fit is asked about as usual, so that the desktop notifies the person, too. */
function ask({ approvals }: AheadParts, request: ApprovalRequest, maxBytes: number): Foretold {
  const isCut = textOf(request, maxBytes) === undefined;
  try {
    const {
      id,
      server,
      tool,
      arguments: whole,
    } = isCut ? approvals.ask(request) : approvals.askElsewhere(request);
    const shown = isCut ? redactArguments(toByteText(whole), maxBytes, TOKENS_ONLY) : whole;
    return { decision: 'ask', question: { id, server, tool, arguments: shown, isCut } };
  } catch (error) {
    const reason = PincerError.from(error);
    if (reason.code !== 'APPROVAL_TOO_LONG') throw reason;
    return { decision: 'deny', reason };
  }
}

/** The source's plan, if it can make one. */
function prepare(parts: AheadParts, call: Addressed, route: Route): Promise<Prepared> | undefined {
  const announced = { ...call, surface: 'control', meta: [], era: 'legacy', client: STRANGER } as const;
  const request = sourceRequest({ call: announced, route }, route.params, () => undefined);
  return parts.source(route.server)?.prepare?.(request);
}
