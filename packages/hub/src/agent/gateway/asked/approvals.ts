/** What an agent needs a person's word for while it works on an order, asked of whoever has given the order. */
import type { OrderListener } from '../../backend.ts';
import { deliver } from '../connection/deliver.ts';
import type { Gateway } from '../connection/gateway.ts';
import type { GatewaySocket } from '../../../openclaw/socket.ts';
import { APPROVAL_KINDS, readApprovalList, readApprovalNews, type Approval } from './approvals-read.ts';
import { isAskedElsewhere } from './asked-elsewhere.ts';
import type { AskingRun } from './asked.ts';
import { followAsked, type FollowedAsked } from './follow-asked.ts';

export interface ApprovalLines {
  /** Where orders go. */
  readonly orders: Pick<Gateway, 'connect'>;
  /** Of `createReviewer`. */
  readonly reviewer: Pick<Gateway, 'connect' | 'comeBack' | 'hold' | 'onEvent'>;
}

export interface FollowedApprovals extends Pick<FollowedAsked, 'off'> {
  /** What is ordered from now on can be asked about, or never can. Does not reject. */
  readonly ready: Promise<void>;
}

/**
 * To be called before the run is ordered, by the device that orders it. Without `ask` no connection is opened: OpenClaw
 * then refuses at once what it would have to ask about, and says why, as if we were not there. Only where another order
 * has one open does it ask about this run as well.
 */
export function followApprovals(
  { orders, reviewer }: ApprovalLines,
  run: AskingRun,
  ask: OrderListener['ask'] | undefined,
): FollowedApprovals {
  const ready = Promise.withResolvers<void>();

  async function settle(approval: Approval, signal: AbortSignal): Promise<void> {
    const { kind, title, detail, decisions } = approval;
    const decision = await ask?.({ title, detail, decisions, signal }).catch(() => undefined);
    if (signal.aborted) return;
    // Nobody here has an answer. It is theirs who are shown the same question, or else nobody's: then nothing is to wait.
    if (decision === undefined && (await isAskedElsewhere(orders, kind).catch(() => false))) return;
    if (signal.aborted) return;
    await resolve(reviewer, approval, decision);
  }

  const { catchUp, stayInformed, off } = followAsked(reviewer, run, {
    readNews: readApprovalNews,
    readOpen: readOpenApprovals,
    settle,
  });

  async function stayConnected(): Promise<void> {
    using _held = reviewer.hold();
    // A gateway elsewhere knows this device by the connection of orders, and lets the other in for its sake.
    await orders.connect();
    const socket = await reviewer.connect();
    ready.resolve();
    await catchUp(socket);
    await stayInformed(socket);
  }

  // Where that fails, the run goes on as if nobody could be asked.
  if (ask !== undefined) void stayConnected().catch(() => ready.resolve());
  else ready.resolve();

  return { ready: ready.promise, off };
}

async function readOpenApprovals(socket: GatewaySocket): Promise<readonly Approval[]> {
  const lists = APPROVAL_KINDS.map(async (kind) =>
    readApprovalList(kind, await socket.request<unknown>(`${kind}.approval.list`, {})),
  );
  return (await Promise.all(lists)).flat();
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
