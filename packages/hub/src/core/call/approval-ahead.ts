/**
 * A question ahead of its call: a program such as OpenClaw shows it to the person in its own way, and sends the call when
 * they have said yes. It is the question that the call itself would raise, so that nobody is asked twice.
 */
import type { Approvals } from '../approvals/approvals.ts';
import { approvalDenied } from '../approvals/refusals.ts';
import { subjectOf } from './approval-step.ts';
import { sourceRequest } from './call-request.ts';
import { STRANGER } from '../client.ts';
import { textOf } from '../approvals/subject.ts';
import { decisionWith } from './decision-with.ts';
import { findRoute, type Addressed, type Route, type RouteParts } from './route.ts';
import type { PincerError } from '../errors.ts';
import { decisionFor, policyDenied, type Policy } from '../policy.ts';
import type { Prepared, Source } from '../request.ts';

export interface AheadParts extends RouteParts {
  readonly policy: () => Policy;
  readonly source: (server: string) => Source | undefined;
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
  /** Redacted JSON text of at most as many bytes as were asked for; or in full, where it is what would be done. */
  readonly arguments: string;
  /** The list of approvals shows more of the arguments. */
  readonly isCut: boolean;
}

/** What will become of a call. Where it leads nowhere there is nothing to ask about, and the call itself is told so. */
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
  const { id, arguments: whole } = parts.approvals.askElsewhere(request);
  const { server, tool, arguments: shown } = textOf(request, maxBytes);
  return { decision, question: { id, server, tool, arguments: shown, isCut: shown !== whole } };
}

/** What exactly it would do, where its source can say so. */
function prepare(parts: AheadParts, call: Addressed, route: Route): Promise<Prepared> | undefined {
  const announced = { ...call, surface: 'control', meta: [], era: 'legacy', client: STRANGER } as const;
  const request = sourceRequest(announced, route, route.params, () => undefined);
  return parts.source(route.server)?.prepare?.(request);
}
