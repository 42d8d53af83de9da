/** The approvals: which calls wait for a person's decision, and what was decided. */
import { ApprovalBook } from './book.ts';
import { approvalTooLong } from './refusals.ts';
import { digestOf, textOf, type ApprovalRequest, type DigestParts } from './subject.ts';
import type { Limits } from '../limits.ts';
import type { Clock, Store, StoredApproval } from '../ports.ts';
import { PincerError } from '../errors.ts';
import { visible } from '../visible.ts';

/** An approval that a person can see: open, or decided and not used yet. */
export interface OpenApproval {
  readonly id: string;
  readonly caller: string;
  readonly server: string;
  readonly tool: string;
  /** JSON text for people, in full: never cut or redacted. */
  readonly arguments: string;
  readonly askedAt: number;
  readonly state: 'open' | 'allowed' | 'denied';
  readonly expiresAt: number | undefined;
  /** Marks of the calls that wait for it. */
  readonly marks?: readonly string[];
}

export type ApprovalDecision = 'allowed' | 'denied';

/** The result for a waiting call, delivered once. `pending`: the wait is over, the approval stays open. `dropped`: it was removed. */
export type Verdict =
  | { readonly kind: ApprovalDecision | 'pending' | 'dropped'; readonly id: string }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface Approvals {
  list(): readonly OpenApproval[];
  /** Throws PincerError if no such approval is open. Accepts a unique prefix of the id. */
  decide(id: string, decision: ApprovalDecision): OpenApproval;

  /** How long a call waits for a person. */
  readonly waitMs: number;
  /** How long a decision is valid. */
  readonly ttlMs: number;
  /** The longest question put to a client itself, in bytes. */
  readonly formBytes: number;
  /** The digest that identifies the request. */
  digest(request: ApprovalRequest): string;
  /** Returns an existing decision. This uses up an allowed approval, which is on disk as used before it returns. */
  take(digest: string): Verdict | undefined;
  /** Returns an existing decision or open approval, without using it up. */
  known(request: ApprovalRequest): OpenApproval | undefined;
  /** Opens an approval, unless one for the same call is open. Throws PincerError if it is too long to show in full. */
  ask(request: ApprovalRequest): OpenApproval;
  /** The same, for an approval that another program shows to the person. */
  askElsewhere(request: ApprovalRequest): OpenApproval;
  /** Opens an approval and reports the decision. One approval lets one call run: the one that waited longest. */
  wait(request: ApprovalRequest, onVerdict: (verdict: Verdict) => void, mark?: string): Waiting;
  /** Records the person's denial, replacing an earlier unused decision. */
  deny(id: string): void;
  /** Closes an open approval, unless a call waits for it. */
  withdraw(id: string): void;
  /** The call that used it certainly did not run: it may be used again until it expires. */
  giveBack(id: string): void;
  /** The call that used it has ended. */
  forget(id: string): void;
  /** Ends all waiting calls. Open approvals stay open. */
  stop(): void;
}

export interface Waiting {
  /** The id of the currently open approval. */
  readonly id: string;
  /** The person's answer through the client of this call. */
  answer(decision: ApprovalDecision): void;
  /** Stops waiting; the approval stays open. */
  leave(): void;
  /** Stops waiting and closes the approval, unless another call waits for it. */
  withdraw(): void;
}

export interface ApprovalsParts extends DigestParts {
  readonly store: Pick<Store, 'loadApprovals' | 'saveApproval' | 'deleteApproval'>;
  readonly clock: Clock;
  newId(): string;
  readonly limits: Pick<
    Limits,
    | 'approvalWaitMs'
    | 'approvalTtlMs'
    | 'approvalOpenMs'
    | 'maxApprovals'
    | 'maxApprovalBytes'
    | 'maxOpenApprovalBytes'
    | 'maxApprovalFormBytes'
  >;
  /** Tells the person about a new approval. `isShown`: another program has already shown it. */
  notify(approval: OpenApproval, isShown: boolean): void;
}

interface Waiter {
  readonly request: ApprovalRequest;
  readonly onVerdict: (verdict: Verdict) => void;
  readonly mark: string | undefined;
  /** The approval it waits for. */
  id: string;
}

export function createApprovals(parts: ApprovalsParts): Approvals {
  const { clock, limits } = parts;
  const book = new ApprovalBook(parts);
  /** In order of arrival. */
  const waiters = new Set<Waiter>();
  const waitersFor = (id: string): Waiter[] => [...waiters].filter((waiter) => waiter.id === id);

  function shown(approval: StoredApproval): OpenApproval {
    const marks = waitersFor(approval.id).flatMap(({ mark }) => mark ?? []);
    return {
      id: approval.id,
      caller: approval.caller,
      server: approval.server,
      tool: approval.tool,
      arguments: approval.arguments,
      askedAt: approval.askedAt,
      state: approval.state as OpenApproval['state'],
      expiresAt: book.expiresAt(approval),
      ...(marks.length > 0 && { marks }),
    };
  }

  function ask(request: ApprovalRequest, isShown = false): OpenApproval {
    const digest = digestOf(request, parts);
    const known = book.find(digest);
    if (known?.state === 'open') return shown(known);
    const text = textOf(request, limits.maxApprovalBytes);
    if (text === undefined) throw approvalTooLong(request, limits.maxApprovalBytes);
    book.prune();
    makeRoom(sizeOf(text));
    const id = parts.newId();
    book.save({ id, digest, ...text, state: 'open', askedAt: clock.now(), decidedAt: undefined });
    const approval = shown(book.get(id)!);
    parts.notify(approval, isShown);
    return approval;
  }

  /** Removes an approval of the caller with most of them, so that no caller pushes out another's. */
  function makeRoom(size: number): void {
    for (;;) {
      const open = book.all().filter(({ state }) => state === 'open');
      const hasRoom = totalSize(open) + size <= limits.maxOpenApprovalBytes;
      if (open.length === 0 || (open.length < limits.maxApprovals && hasRoom)) return;
      const weight = hasRoom ? (asked: readonly StoredApproval[]) => asked.length : totalSize;
      const callers = [...Map.groupBy(open, ({ caller }) => caller).values()];
      const { id } = callers.reduce((a, b) => (weight(b) > weight(a) ? b : a))[0]!;
      book.remove(id);
      for (const waiter of waitersFor(id)) tell(waiter, { kind: 'dropped', id });
    }
  }

  function tell(waiter: Waiter, verdict: Verdict): void {
    if (waiters.delete(waiter)) waiter.onVerdict(verdict);
  }

  function settle(approval: StoredApproval, decision: ApprovalDecision, by?: Waiter): void {
    const decided: StoredApproval = { ...approval, state: decision, decidedAt: clock.now() };
    book.save(decided);
    const waiting = waitersFor(approval.id);
    if (decision === 'denied') {
      for (const waiter of waiting) tell(waiter, { kind: 'denied', id: approval.id });
      return;
    }
    const [first, ...rest] = by === undefined ? waiting : [by, ...waiting.filter((waiter) => waiter !== by)];
    if (first === undefined) return;
    const verdict = use(decided);
    // An approval is for one call: the others need a new one.
    if (verdict.kind === 'allowed') for (const waiter of rest) askAgain(waiter);
    tell(first, verdict);
  }

  function use(approval: StoredApproval): Verdict {
    try {
      book.save({ ...approval, state: 'used' });
      return { kind: 'allowed', id: approval.id };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  function askAgain(waiter: Waiter): void {
    try {
      waiter.id = ask(waiter.request).id;
    } catch (error) {
      tell(waiter, { kind: 'failed', error });
    }
  }

  function withdraw(id: string): void {
    if (book.get(id)?.state === 'open' && waitersFor(id).length === 0) quietly(() => book.remove(id));
  }

  /** Cleanup after an ended call must not fail. At worst the person is asked once more. */
  function quietly(change: () => void): void {
    try {
      change();
    } catch {
      // On disk it stays as used.
    }
  }

  return {
    waitMs: limits.approvalWaitMs,
    ttlMs: limits.approvalTtlMs,
    formBytes: limits.maxApprovalFormBytes,
    list: () => book.all().map(shown),
    decide(id, decision) {
      const approval = findOpen(book.all(), id);
      settle(approval, decision);
      return { ...shown(approval), state: decision, expiresAt: clock.now() + limits.approvalTtlMs };
    },
    digest: (request) => digestOf(request, parts),
    take(digest) {
      const approval = book.find(digest);
      if (approval?.state === 'denied') return { kind: 'denied', id: approval.id };
      return approval?.state === 'allowed' ? use(approval) : undefined;
    },
    known(request) {
      const approval = book.find(digestOf(request, parts));
      return approval && shown(approval);
    },
    ask: (request) => ask(request),
    askElsewhere: (request) => ask(request, true),
    wait(request, onVerdict, mark) {
      const waiter: Waiter = { request, onVerdict, mark, id: ask(request).id };
      waiters.add(waiter);
      return {
        get id() {
          return waiter.id;
        },
        answer(decision) {
          const approval = waiters.has(waiter) ? book.get(waiter.id) : undefined;
          if (approval?.state === 'open') settle(approval, decision, waiter);
        },
        leave: () => void waiters.delete(waiter),
        withdraw() {
          waiters.delete(waiter);
          withdraw(waiter.id);
        },
      };
    },
    deny(id) {
      const approval = book.get(id);
      if (approval?.state === 'open' || approval?.state === 'allowed') settle(approval, 'denied');
    },
    withdraw,
    giveBack(id) {
      const approval = book.get(id);
      if (approval?.state !== 'used') return;
      // If the same call was asked about again meanwhile, the newer approval counts.
      if (book.find(approval.digest) === undefined)
        quietly(() => book.save({ ...approval, state: 'allowed' }));
      else quietly(() => book.remove(id));
    },
    forget: (id) => quietly(() => book.remove(id)),
    stop() {
      for (const waiter of waiters) tell(waiter, { kind: 'pending', id: waiter.id });
    },
  };
}

const sizeOf = ({ tool, arguments: shown }: Pick<StoredApproval, 'tool' | 'arguments'>): number =>
  Buffer.byteLength(tool) + Buffer.byteLength(shown);

const totalSize = (approvals: readonly StoredApproval[]): number =>
  approvals.reduce((sum, each) => sum + sizeOf(each), 0);

/** Finds the open approval with this id, or with this unique prefix. */
function findOpen(approvals: readonly StoredApproval[], id: string): StoredApproval {
  const found = approvals.filter((each) => id !== '' && each.id.startsWith(id));
  const open = found.filter((each) => each.state === 'open');
  const exact = open.find((each) => each.id === id);
  if (exact !== undefined) return exact;
  if (open.length === 1) return open[0]!;
  const ids = open.map((each) => each.id);
  if (open.length > 1)
    throw new PincerError('ARGUMENT_INVALID', `Several open approvals begin with "${visible(id)}".`, {
      hint: 'Type more characters of the id.',
      data: { ids },
    });
  const decided = found.length === 1 ? ` It was ${found[0]!.state} before.` : '';
  throw new PincerError('ARGUMENT_INVALID', `There is no open approval "${visible(id)}".${decided}`, {
    hint: 'Run `pincer approvals`.',
  });
}
