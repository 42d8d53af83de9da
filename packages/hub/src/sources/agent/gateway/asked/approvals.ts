/** What an agent needs a person's word for while it works on an order, asked of whoever has given the order. */
import type { OrderListener } from '../../backend.ts';
import { isAskedElsewhere } from './approvals-others.ts';
import {
  APPROVAL_KINDS,
  isNeededBy,
  readApprovalList,
  readApprovalNews,
  type Approval,
  type ApprovalRun,
} from './approvals-read.ts';
import { deliver } from '../connection/deliver.ts';
import type { Gateway } from '../connection/gateway.ts';
import type { GatewaySocket } from '../connection/socket.ts';

export interface ApprovalLines {
  /** Where orders go. */
  readonly orders: Pick<Gateway, 'connect'>;
  /** Of `createReviewer`. */
  readonly reviewer: Pick<Gateway, 'connect' | 'comeBack' | 'hold' | 'onEvent'>;
}

export interface FollowedApprovals {
  /** What is ordered from now on can be asked about, or never can. Does not reject. */
  readonly ready: Promise<void>;
  /** The run has ended, and with it all that was asked for it. */
  off(): void;
}

/**
 * To be called before the run is ordered, by the device that orders it. Without `ask` no connection is opened: OpenClaw
 * then refuses at once what it would have to ask about, and says why, as if we were not there. Only where another order
 * has one open does it ask about this run as well.
 */
export function followApprovals(
  { orders, reviewer }: ApprovalLines,
  run: ApprovalRun,
  ask: OrderListener['ask'] | undefined,
): FollowedApprovals {
  /** All that were asked for this run, the decided ones too: none is asked twice. */
  const known = new Map<string, AbortController>();
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const over = new AbortController();

  function take(approval: Approval): void {
    if (over.signal.aborted || known.has(approval.id) || !isNeededBy(run, approval)) return;
    const decided = new AbortController();
    known.set(approval.id, decided);
    // Where it cannot be brought back, OpenClaw goes on without it when the time is over.
    answer(approval, AbortSignal.any([over.signal, decided.signal])).catch(() => undefined);
  }

  async function answer(approval: Approval, signal: AbortSignal): Promise<void> {
    const { kind, title, detail, decisions } = approval;
    const decision = await ask?.({ title, detail, decisions, signal }).catch(() => undefined);
    if (signal.aborted) return;
    // Nobody here has an answer. It is theirs who are shown the same question, or else nobody's: then nothing is to wait.
    if (decision === undefined && (await isAskedElsewhere(orders, kind).catch(() => false))) return;
    if (signal.aborted) return;
    await resolve(reviewer, approval, decision);
  }

  /** What was asked or decided while there was no connection. */
  async function catchUp(socket: GatewaySocket): Promise<void> {
    const before = [...known];
    const lists = APPROVAL_KINDS.map(async (kind) =>
      readApprovalList(kind, await socket.request<unknown>(`${kind}.approval.list`, {})),
    );
    const open = (await Promise.all(lists)).flat();
    for (const [id, decided] of before) if (open.every((approval) => approval.id !== id)) decided.abort();
    open.forEach(take);
  }

  async function stayConnected(): Promise<void> {
    using _held = reviewer.hold();
    // A gateway elsewhere knows this device by the connection of orders, and lets the other in for its sake.
    await orders.connect();
    let socket = await reviewer.connect();
    ready.resolve();
    for (;;) {
      await catchUp(socket).catch(() => undefined);
      await Promise.race([socket.closed, ended.promise]);
      if (over.signal.aborted) return;
      socket = await reviewer.comeBack();
    }
  }

  const off = reviewer.onEvent((event, payload) => {
    const news = readApprovalNews(event, payload);
    if (news?.kind === 'requested') take(news.approval);
    else if (news?.kind === 'resolved') known.get(news.id)?.abort();
  });
  // Where that fails, the run goes on as if nobody could be asked.
  if (ask !== undefined) void stayConnected().catch(() => ready.resolve());
  else ready.resolve();

  return {
    ready: ready.promise,
    off() {
      off();
      over.abort();
      ended.resolve();
    },
  };
}

async function resolve(
  reviewer: ApprovalLines['reviewer'],
  { kind, id, decisions }: Approval,
  decision: string | undefined,
): Promise<void> {
  const isOffered = decision !== undefined && decisions.includes(decision);
  await deliver(reviewer, `${kind}.approval.resolve`, {
    id,
    decision: isOffered ? decision : decisions.at(-1),
  });
}
