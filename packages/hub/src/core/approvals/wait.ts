/** A call that waits for a person: nothing has been sent, and it takes up no slot. */
import { approvalQuestion, APPROVAL_METHOD, readDecision } from './question.ts';
import { approvalDenied, approvalDropped, approvalPending, notGoingOn, serverChanged } from './refusals.ts';
import type { ApprovalRequest } from './subject.ts';
import type { Approvals, Verdict, Waiting } from './approvals.ts';
import { PincerError } from '../errors.ts';
import type { Asked, CallerExchange, Running } from '../request.ts';

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
    if (waiting.id === allowed) waiting.answer('allowed');
    else if (asksClient) this.#askClient(waiting);
  }

  cancel(reason: string): void {
    if (this.#hasEnded) return;
    this.#waiting?.withdraw();
    this.#end(reason);
    this.#parts.onRefused(new PincerError('CALL_CANCELLED', `Cancelled before it was sent: ${reason}.`));
  }

  #askClient(waiting: Waiting): void {
    const { approvals, request, exchange } = this.#parts;
    const asked = exchange.ask({
      method: APPROVAL_METHOD,
      params: approvalQuestion(approvals.ask(request)),
      answer: (answer) => {
        const decision = readDecision('result' in answer ? answer.result : undefined);
        if (decision !== undefined) waiting.answer(decision);
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
