/** Questions to a person whether one call may run, and what became of them. */
import { ApprovalBook } from './book.ts';
import { approvalTooLong } from './refusals.ts';
import { digestOf, textOf, type ApprovalRequest, type DigestParts } from './subject.ts';
import type { Limits } from '../limits.ts';
import type { Clock, Store, StoredApproval } from '../ports.ts';
import { PincerError } from '../errors.ts';
import { visible } from '../visible.ts';

/** One that a person may look at: still open, or decided and not used yet. */
export interface OpenApproval {
  readonly id: string;
  readonly caller: string;
  readonly server: string;
  readonly tool: string;
  /** JSON text for people, in full: nothing is cut or redacted. */
  readonly arguments: string;
  readonly askedAt: number;
  readonly state: 'open' | 'allowed' | 'denied';
  readonly expiresAt: number | undefined;
  /** Of the calls that wait for it, where they have some. */
  readonly marks?: readonly string[];
}

export type ApprovalDecision = 'allowed' | 'denied';

/** What a call that waits is told, once. `pending`: it waits no more, but the question is open. `dropped`: nor is that. */
export type Verdict =
  | { readonly kind: ApprovalDecision | 'pending' | 'dropped'; readonly id: string }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface Approvals {
  list(): readonly OpenApproval[];
  /** Throws PincerError where there is no such open question. A unique prefix of the id will do. */
  decide(id: string, decision: ApprovalDecision): OpenApproval;

  /** How long a call waits for a person. */
  readonly waitMs: number;
  /** How long a decision holds. */
  readonly ttlMs: number;
  /** The longest question that a client is asked itself, in bytes. */
  readonly formBytes: number;
  /** What the request is known by here. */
  digest(request: ApprovalRequest): string;
  /** What has been decided already. An approval is used up by this: it is on disk that it was. */
  take(digest: string): Verdict | undefined;
  /** What has been decided already, or is being asked. Nothing is used up by this. */
  known(request: ApprovalRequest): OpenApproval | undefined;
  /** Asks a person, unless the same is being asked. Throws PincerError if it is too long to be shown in full. */
  ask(request: ApprovalRequest): OpenApproval;
  /** The same for a question that somebody else shows to the person. */
  askElsewhere(request: ApprovalRequest): OpenApproval;
  /** Asks, and tells what the person says. One approval lets one call run, the one that has waited longest. */
  wait(request: ApprovalRequest, onVerdict: (verdict: Verdict) => void, mark?: string): Waiting;
  /** The person said no to what was asked under this id, whatever has been said before. */
  deny(id: string): void;
  /** Nobody is asked any more, unless a call waits for the answer. */
  withdraw(id: string): void;
  /** The call that used it up certainly did not run: it may be used again, for as long as it holds. */
  giveBack(id: string): void;
  /** The call that used it up has ended. */
  forget(id: string): void;
  /** Nobody waits any more; open questions stay open. */
  stop(): void;
}

export interface Waiting {
  /** Of the question that is open now. */
  readonly id: string;
  /** The person said so to the client of this very call. */
  answer(decision: ApprovalDecision): void;
  /** Stops waiting; the question stays open. */
  leave(): void;
  /** Stops waiting; nobody is asked any more, unless somebody else waits for the same. */
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
  /** Tells the person that there is a question; `isShown`: somebody else has shown it to them. */
  notify(approval: OpenApproval, isShown: boolean): void;
}

interface Waiter {
  readonly request: ApprovalRequest;
  readonly onVerdict: (verdict: Verdict) => void;
  readonly mark: string | undefined;
  /** The question that it waits for. */
  id: string;
}

export function createApprovals(parts: ApprovalsParts): Approvals {
  const { clock, limits } = parts;
  const book = new ApprovalBook(parts);
  /** In the order in which they came. */
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

  /** The caller that asks most gives way: nobody's questions are pushed out by another's. */
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
    // An approval is for one call: the others are asked about anew.
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

  /** What follows from a call that has ended must not be able to fail: at worst the person is asked once more. */
  function quietly(change: () => void): void {
    try {
      change();
    } catch {
      // It stays as it is on disk: used.
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
      // Meanwhile the same may have been asked again: then that question is the one that counts.
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

/** The open question of this id, or of the only id that begins so. */
function findOpen(approvals: readonly StoredApproval[], id: string): StoredApproval {
  const found = approvals.filter((each) => id !== '' && each.id.startsWith(id));
  const open = found.filter((each) => each.state === 'open');
  const exact = open.find((each) => each.id === id);
  if (exact !== undefined) return exact;
  if (open.length === 1) return open[0]!;
  const ids = open.map((each) => each.id);
  if (open.length > 1)
    throw new PincerError('ARGUMENT_INVALID', `Several open approvals begin with "${visible(id)}".`, {
      hint: 'Give more of the id.',
      data: { ids },
    });
  const decided = found.length === 1 ? ` It was ${found[0]!.state} before.` : '';
  throw new PincerError('ARGUMENT_INVALID', `There is no open approval "${visible(id)}".${decided}`, {
    hint: 'Run `pincer approvals`.',
  });
}
