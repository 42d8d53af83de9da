/** A call that waits for a person: nothing has been sent, and it takes up no slot. */
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
  /** The caller's end. */
  readonly exchange: CallerExchange;
  /** Whether the client is asked, too: its answer counts as the person's. */
  readonly asksClient: boolean;
  /** It may run, and that it does is on disk. */
  onAllowed(id: string): void;
  /** It does not run. */
  onRefused(reason: PincerError): void;
}

export class ApprovalWait implements Running {
  readonly #parts: ApprovalWaitParts;
  /** Of what the person is asked about. */
  readonly #digest: string;
  #waiting: Waiting | undefined;
  #asked: Asked | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(parts: ApprovalWaitParts) {
    this.#parts = parts;
    this.#digest = parts.approvals.digest(parts.request);
  }

  /** `allowed` is the question that the client of this call has said yes to before. */
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
        // What was not shown in full is not allowed there.
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
    this.#end('nobody has answered in time');
    onRefused(approvalPending(request, waiting.id, approvals.ttlMs));
  }

  #end(reason: string): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#asked?.withdraw(reason);
  }
}

/**
 * What becomes of an approval when the call that used it up has ended. The code of a refusal after which an
 * approval counts no more: what a person has allowed is not what was there to run. Whoever exchanges files until
 * they win has one try, and not as many as they like.
 */
export const PLAN_CHANGED = 'EXEC_PLAN_CHANGED';

/** The source's end of an approved call; `era` is the caller's. */
export const underApproval = (
  exchange: Exchange,
  { approvals, id, era }: { readonly approvals: Approvals; readonly id: string; readonly era: Era },
): Exchange =>
  onOutcome(exchange, (outcome) => {
    if (isUnused(outcome, era)) approvals.giveBack(id);
    else approvals.forget(id);
  });

/** It did not run, or the server wants something of the client first and the same call will come again. */
function isUnused(outcome: Outcome, era: Era): boolean {
  if (outcome.kind === 'not_executed') return outcome.reason.data?.['code'] !== PLAN_CHANGED;
  try {
    if ('error' in outcome) return readUrlRequired(outcome.error) !== undefined;
    // A legacy caller hears nothing of rounds: its one call goes through all of them.
    if (!('result' in outcome) || outcome.era === 'legacy' || era === 'legacy') return false;
    return readInputRequired(outcome.result) !== undefined;
  } catch {
    return false;
  }
}
