/** The approvals that count: what is in memory is in the store, and was there first. */
import { isShownInFull } from './subject.ts';
import type { Limits } from '../limits.ts';
import type { Clock, Store, StoredApproval } from '../ports.ts';
import { redactArguments } from '../redact/redact.ts';
import { HIDDEN, hideSecrets } from '../redact/redact-secrets.ts';
import { canonicalDefinition as canonicalJson } from '../trust/canonical-definition.ts';
import { toByteText } from '../wire/byte-text.ts';

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

  /** What a hub before this one has asked in full is still asked; what was used then is history. */
  constructor(parts: ApprovalBookParts) {
    this.#parts = parts;
    for (const approval of parts.store.loadApprovals())
      if (approval.state === 'used' || !isShownInFull(approval.digest) || isPartOfQuestion(approval))
        parts.store.deleteApproval(approval.id);
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
    this.#parts.store.saveApproval(atRest(approval));
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

/** Escapes take more room than what they stand for, and one string gets at most half of the room. */
const ROOM_PER_CHARACTER = 16;
const SPARE_ROOM = 1_024;

/**
 * Files are copied and backed up, so they keep no secret. A decision needs only its digest; an open question that has
 * a secret can no longer be shown in full once this process has ended, and is dropped by the next one.
 */
function atRest(approval: StoredApproval): StoredApproval {
  const text = toByteText(approval.arguments);
  const redacted = redactArguments(text, ROOM_PER_CHARACTER * text.length + SPARE_ROOM);
  const isWhole = canonicalJson(toByteText(redacted)) === canonicalJson(text);
  const marked = redacted.includes(HIDDEN) ? redacted : JSON.stringify(HIDDEN);
  return {
    ...approval,
    tool: hideSecrets(approval.tool),
    arguments: isWhole ? approval.arguments : marked,
  };
}

const isPartOfQuestion = ({ state, tool, arguments: text }: StoredApproval): boolean =>
  state === 'open' && (tool.includes(HIDDEN) || text.includes(HIDDEN));
