/** The current approvals. Every change is written to the store first, then to memory. */
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
  /** The current approval of a request: open, or decided and not used yet. */
  readonly #byDigest = new Map<string, string>();

  /** Keeps the approvals of an earlier hub that were shown in full. Used ones are deleted. */
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

  /** Approvals that a person can see, oldest first. */
  all(): StoredApproval[] {
    return [...this.#byId.values()].filter(
      (approval) => approval.state !== 'used' && !this.#isOver(approval),
    );
  }

  find(digest: string): StoredApproval | undefined {
    const approval = this.#byId.get(this.#byDigest.get(digest) ?? '');
    return approval === undefined || this.#isOver(approval) ? undefined : approval;
  }

  /** On disk on return. If this throws, nothing has changed. */
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

  /** Removes expired approvals. */
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
    // Setting the clock back does not extend anything.
    return Math.abs(this.#parts.clock.now() - since) >= lasts;
  }
}

/** Escapes are longer than the characters they replace, and one string may take at most half of the room. */
const ROOM_PER_CHARACTER = 16;
const SPARE_ROOM = 1_024;

/**
 * Files are copied and backed up, so they keep no secret. A decision needs only its digest. An open approval with a
 * secret cannot be shown in full after this process has ended, so the next process drops it.
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
