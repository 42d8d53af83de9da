/** A call that waits for a person. Nothing has been sent, and it takes no slot. */
import { approvalQuestion, APPROVAL_METHOD, fitsForm, readDecision } from './question.ts';
import { approvalDenied, approvalDropped, approvalPending, notGoingOn, serverChanged } from './refusals.ts';
import type { ApprovalRequest } from './subject.ts';
import type { Approvals, OpenApproval, Verdict, Waiting } from './approvals.ts';
import { PincerError } from '../errors.ts';
import { type Asked, type CallerExchange, type Running, onOutcome, type Exchange } from '../request.ts';
import { readInputRequired } from '../eras/input-required.ts';
import { readUrlRequired } from '../eras/in-era.ts';
import type { Outcome } from '../outcome.ts';
import type { Era } from '../protocol.ts';

export interface ApprovalWaitParts {
  readonly approvals: Approvals;
  readonly request: ApprovalRequest;
  readonly mark: string | undefined;
  readonly waitMs: number;
  readonly exchange: CallerExchange;
  /** Whether the client is asked too. Its answer counts as the person's. */
  readonly asksClient: boolean;
  /** The call may run. The approval is on disk as used. */
  onAllowed(id: string): void;
  /** The call does not run. */
  onRefused(reason: PincerError): void;
}

export class ApprovalWait implements Running {
  readonly #parts: ApprovalWaitParts;
  readonly #digest: string;
  #waiting: Waiting | undefined;
  #asked: Asked | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(parts: ApprovalWaitParts) {
    this.#parts = parts;
    this.#digest = parts.approvals.digest(parts.request);
  }

  /** `allowed` is the id of the approval that this call's client has already accepted. */
  start(allowed?: string): void {
    const { approvals, request, mark, exchange, waitMs, asksClient } = this.#parts;
    const waiting = approvals.wait(request, (verdict) => this.#decided(verdict), mark);
    this.#waiting = waiting;
    this.#timer = setTimeout(() => this.#giveUp(), waitMs).unref();
    exchange.pause();
    const approval = approvals.ask(request);
    if (waiting.id === allowed && fitsForm(approval, approvals.formBytes)) waiting.answer('allowed');
    else if (asksClient) this.#askClient(waiting, approval);
  }

  cancel(reason: string): void {
    if (this.#hasEnded) return;
    this.#waiting?.withdraw();
    this.#end(reason);
    this.#parts.onRefused(new PincerError('CALL_CANCELLED', `Cancelled before it was sent: ${reason}.`));
  }

  #askClient(waiting: Waiting, approval: OpenApproval): void {
    const { approvals, exchange } = this.#parts;
    const isWhole = fitsForm(approval, approvals.formBytes);
    const asked = exchange.ask({
      method: APPROVAL_METHOD,
      params: approvalQuestion(approval, approvals.formBytes),
      answer: (answer) => {
        const decision = readDecision('result' in answer ? answer.result : undefined);
        // A question not shown in full cannot be allowed there.
        if (decision === 'denied' || (decision === 'allowed' && isWhole)) waiting.answer(decision);
      },
    });
    if (!this.#hasEnded) this.#asked = asked;
  }

  #decided(verdict: Verdict): void {
    if (this.#hasEnded) return;
    const { approvals, exchange, request, onAllowed, onRefused } = this.#parts;
    this.#end('it has been decided');
    if (verdict.kind === 'failed') return onRefused(PincerError.from(verdict.error));
    const { kind, id } = verdict;
    if (kind === 'denied') return onRefused(approvalDenied(request, id, approvals.ttlMs));
    if (kind === 'pending') return onRefused(approvalPending(request, id, approvals.ttlMs));
    if (kind === 'dropped') return onRefused(approvalDropped(request));
    const mayGoOn = exchange.goOn();
    const isSame = approvals.digest(request) === this.#digest;
    if (mayGoOn && isSame) return onAllowed(id);
    approvals.forget(id);
    onRefused(mayGoOn ? serverChanged(request) : notGoingOn(request));
  }

  #giveUp(): void {
    if (this.#hasEnded) return;
    const { approvals, request, onRefused } = this.#parts;
    const waiting = this.#waiting!;
    waiting.leave();
    this.#end('no answer in time');
    onRefused(approvalPending(request, waiting.id, approvals.ttlMs));
  }

  #end(reason: string): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#asked?.withdraw(reason);
  }
}

/**
 * The code of a refusal after which an approval is void: the plan that a person approved is not what would have run.
 * This gives an attacker who swaps files one attempt, not as many as it takes to win the race.
 */
export const PLAN_CHANGED = 'EXEC_PLAN_CHANGED';

/** The exchange for the source of an approved call. It returns or deletes the approval when the call ends. `era` is the caller's. */
export const underApproval = (
  exchange: Exchange,
  { approvals, id, era }: { readonly approvals: Approvals; readonly id: string; readonly era: Era },
): Exchange =>
  onOutcome(exchange, (outcome) => {
    if (isUnused(outcome, era)) approvals.giveBack(id);
    else approvals.forget(id);
  });

/** True if it did not run, or if the server has a question first and the same call will come again. */
function isUnused(outcome: Outcome, era: Era): boolean {
  if (outcome.kind === 'not_executed') return outcome.reason.data?.['code'] !== PLAN_CHANGED;
  try {
    if ('error' in outcome) return readUrlRequired(outcome.error) !== undefined;
    // A legacy caller sees no rounds: its one call goes through all of them.
    if (!('result' in outcome) || outcome.era === 'legacy' || era === 'legacy') return false;
    return readInputRequired(outcome.result) !== undefined;
  } catch {
    return false;
  }
}
