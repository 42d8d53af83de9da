/** The approval step of a call whose policy is `ask`. */
import { APPROVAL_METHOD, approvalQuestion, takesForms } from '../approvals/question.ts';
import { approvalDenied } from '../approvals/refusals.ts';
import type { ApprovalRequest } from '../approvals/subject.ts';
import { ApprovalWait } from '../approvals/wait.ts';
import type { Approvals, Verdict } from '../approvals/approvals.ts';
import { writeInputRequired } from '../eras/input-required.ts';
import type { State } from '../eras/request-state.ts';
import { withoutRound, APPROVAL_KEY, type Begun } from './round.ts';
import type { Call } from './calls.ts';
import { PincerError } from '../errors.ts';
import type { CallerExchange, Running } from '../request.ts';
import type { Route } from './route.ts';
import type { ByteText } from '../wire/byte-text.ts';
import type { Member } from '../wire/members.ts';

export interface ApprovalStepParts {
  readonly approvals: Approvals;
  readonly call: Call;
  readonly route: Route;
  /** The plan to ask about, if it is not the params themselves. */
  readonly subject?: readonly Member[] | undefined;
  readonly exchange: CallerExchange;
  readonly seal: (state: State) => string;
  /** The call waits for a decision. */
  onWaiting(waiting: Running): void;
  /** It may run once; the use of the approval is already on disk. */
  onAllowed(id: string): void;
  onRefused(reason: PincerError): void;
  /** The client is asked in the result of this round and returns with its answer. */
  onAsked(result: ByteText): void;
}

/** Ends the wait this long before the caller's timeout, so that the caller still gets the answer. */
const MARGIN_MS = 5_000;

export function seekApproval(parts: ApprovalStepParts, { params, isFirst, approval: answered }: Begun): void {
  const { approvals, call, exchange, onAllowed, onRefused } = parts;
  const request = subjectOf(parts, params);
  if (answered?.decision === 'denied') {
    approvals.deny(answered.id);
    return onRefused(approvalDenied(request, answered.id, approvals.ttlMs));
  }
  const verdict = takeBegun(parts, params, isFirst) ?? approvals.take(approvals.digest(request));
  if (verdict?.kind === 'allowed') return onAllowed(verdict.id);
  if (verdict?.kind === 'denied') return onRefused(approvalDenied(request, verdict.id, approvals.ttlMs));
  if (verdict?.kind === 'failed') return onRefused(PincerError.from(verdict.error));
  // An MCP credential cannot approve, unless the administrator set that its client speaks for the person.
  const asksClient = call.caller.scopes.approve === true && takesForms(call.client.abilities);
  if (asksClient && call.era === 'modern' && isFirst) return askInResult(parts, request);
  const waitMs = Math.min(approvals.waitMs, (call.timeoutMs ?? Infinity) - MARGIN_MS);
  const wait = new ApprovalWait({
    approvals,
    request,
    mark: call.mark,
    exchange,
    onAllowed,
    onRefused,
    waitMs: Math.max(0, waitMs),
    asksClient: asksClient && call.era === 'legacy',
  });
  parts.onWaiting(wait);
  wait.start(answered?.decision === 'allowed' ? answered.id : undefined);
}

/** An approval of a call also covers its later rounds, in which the client answers the server's questions. */
function takeBegun(
  parts: ApprovalStepParts,
  params: readonly Member[],
  isFirst: boolean,
): Verdict | undefined {
  if (isFirst) return undefined;
  const { approvals } = parts;
  return approvals.take(approvals.digest(subjectOf(parts, withoutRound(params))));
}

function askInResult({ approvals, seal, onAsked }: ApprovalStepParts, request: ApprovalRequest): void {
  const approval = approvals.ask(request);
  const question = {
    key: APPROVAL_KEY,
    method: APPROVAL_METHOD,
    params: approvalQuestion(approval, approvals.formBytes),
  };
  onAsked(writeInputRequired([question], seal({ approval: approval.id })));
}

interface Subject {
  readonly call: Pick<Call, 'caller' | 'method'>;
  readonly route: Route;
  /** The source's plan, if it has one. */
  readonly subject?: readonly Member[] | undefined;
}

/** The subject of the approval: the source's plan if there is one, otherwise `params` for the server. */
export const subjectOf = (
  { call: { caller, method }, route, subject }: Subject,
  params: readonly Member[],
): ApprovalRequest => ({
  caller,
  server: route.server,
  method,
  name: route.name,
  definition: route.tool?.definition.raw,
  params: subject ?? params,
});
