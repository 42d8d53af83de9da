/** The approvals that count: what is in memory is in the store, and was there first. */
import type { Limits } from '../limits.ts';
import type { Clock, Store, StoredApproval } from '../ports.ts';

export interface ApprovalBookParts {
  readonly store: Pick<Store, 'loadApprovals' | 'saveApproval' | 'deleteApproval'>;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'approvalTtlMs' | 'approvalOpenMs'>;
}

export class ApprovalBook {
  readonly #parts: ApprovalBookParts;
  readonly #byId = new Map<string, StoredApproval>();
  /** The one that speaks for a request: a question, or a decision that has not been used. */
  readonly #byDigest = new Map<string, string>();

  /** What a hub before this one has asked is still asked; what was used then is history. */
  constructor(parts: ApprovalBookParts) {
    this.#parts = parts;
    for (const approval of parts.store.loadApprovals())
      if (approval.state === 'used') parts.store.deleteApproval(approval.id);
      else this.#remember(approval);
    this.prune();
  }

  get(id: string): StoredApproval | undefined {
    return this.#byId.get(id);
  }

  /** Those that a person may look at, the oldest first. */
  all(): StoredApproval[] {
    return [...this.#byId.values()].filter(
      (approval) => approval.state !== 'used' && !this.#isOver(approval),
    );
  }

  find(digest: string): StoredApproval | undefined {
    const approval = this.#byId.get(this.#byDigest.get(digest) ?? '');
    return approval === undefined || this.#isOver(approval) ? undefined : approval;
  }

  /** On disk when it returns; where that fails, nothing has changed. */
  save(approval: StoredApproval): void {
    this.#parts.store.saveApproval(approval);
    this.#remember(approval);
  }

  remove(id: string): void {
    this.#parts.store.deleteApproval(id);
    const approval = this.#byId.get(id);
    this.#byId.delete(id);
    if (approval !== undefined && this.#byDigest.get(approval.digest) === id)
      this.#byDigest.delete(approval.digest);
  }

  /** Removes what is over. */
  prune(): void {
    for (const approval of this.#byId.values()) if (this.#isOver(approval)) this.remove(approval.id);
  }

  expiresAt({ state, decidedAt }: StoredApproval): number | undefined {
    return state === 'open' || decidedAt === undefined
      ? undefined
      : decidedAt + this.#parts.limits.approvalTtlMs;
  }

  #remember(approval: StoredApproval): void {
    const { id, digest, state } = approval;
    this.#byId.set(id, approval);
    if (state !== 'used') this.#byDigest.set(digest, id);
    else if (this.#byDigest.get(digest) === id) this.#byDigest.delete(digest);
  }

  #isOver({ state, askedAt, decidedAt }: StoredApproval): boolean {
    const { approvalTtlMs, approvalOpenMs } = this.#parts.limits;
    const [since, lasts] = state === 'open' ? [askedAt, approvalOpenMs] : [decidedAt ?? 0, approvalTtlMs];
    // A clock that was put back makes nothing last longer.
    return Math.abs(this.#parts.clock.now() - since) >= lasts;
  }
}
