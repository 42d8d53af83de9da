/** Approvals that OpenClaw asks for while an agent works on an order: reads them, asks the caller of the order, and returns the decision. */
import { visible, visibleBlock } from '../../core/visible.ts';
import { isRecord, textAt } from '../../lib/record.ts';
import type { GatewaySocket } from '../../openclaw/socket.ts';
import type { OrderListener } from '../backend.ts';
import {
  followAsked,
  isAskedElsewhere,
  type Asked,
  type AskedKind,
  type AskedNews,
  type AskingRun,
  type FollowedAsked,
} from './follow-asked.ts';
import { deliver, type Gateway } from './gateway.ts';

interface ApprovalConnections {
  readonly orders: Pick<Gateway, 'connect'>;
  /** From `createReviewer`. */
  readonly reviewer: Pick<Gateway, 'connect' | 'reconnect' | 'hold' | 'onEvent'>;
}

export interface FollowedApprovals extends Pick<FollowedAsked, 'off'> {
  /** Resolves when approvals can be answered, or certainly cannot. Does not reject. */
  readonly ready: Promise<void>;
}

/**
 * Call it before the run is ordered, on the device that orders it. Without `ask` it opens no connection: OpenClaw then
 * refuses at once what needs an approval. If another order has a reviewer open, OpenClaw asks about this run as well.
 */
export function followApprovals(
  { orders, reviewer }: ApprovalConnections,
  run: AskingRun,
  ask: OrderListener['ask'] | undefined,
): FollowedApprovals {
  const ready = Promise.withResolvers<void>();

  async function settle(approval: Approval, signal: AbortSignal): Promise<void> {
    const { kind, title, detail, decisions } = approval;
    const decision = await ask?.({ title, detail, decisions, signal }).catch(() => undefined);
    if (signal.aborted) return;
    // Without a decision here, leave it to OpenClaw's own windows if one shows the question. Otherwise deny at once.
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
    // A remote gateway pairs this device on the connection of orders, and accepts the reviewer only after that.
    await orders.connect();
    const socket = await reviewer.connect();
    ready.resolve();
    await catchUp(socket);
    await stayInformed(socket);
  }

  // On failure the run continues without approvals.
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
  reviewer: ApprovalConnections['reviewer'],
  { kind, id, decisions }: Approval,
  decision: string | undefined,
): Promise<void> {
  const isOffered = decision !== undefined && decisions.includes(decision);
  await deliver(reviewer, `${kind}.approval.resolve`, {
    id,
    decision: isOffered ? decision : decisions.at(-1),
  });
}

/** A command that an agent would run, or an action that a plugin of OpenClaw asks about. */
type ApprovalKind = Exclude<AskedKind, 'question'>;

const APPROVAL_KINDS: readonly ApprovalKind[] = ['exec', 'plugin'];

export interface Approval extends Asked {
  readonly kind: ApprovalKind;
  readonly title: string;
  readonly detail: string;
  /** The safest one is last. */
  readonly decisions: readonly [...string[], string];
}

const EVENT = /^(exec|plugin)\.approval\.(requested|resolved)$/;

export function readApprovalNews(event: string, payload: unknown): AskedNews<Approval> | undefined {
  const [, kind, what] = EVENT.exec(event) ?? [];
  if (kind === undefined) return undefined;
  if (what === 'requested') {
    const asked = readApproval(kind as ApprovalKind, payload);
    return asked && { kind: 'requested', asked };
  }
  const id = isRecord(payload) ? textAt(payload, 'id') : undefined;
  return id === undefined ? undefined : { kind: 'resolved', id };
}

/** `exec.approval.list` and `plugin.approval.list`. */
export const readApprovalList = (kind: ApprovalKind, list: unknown): readonly Approval[] =>
  Array.isArray(list) ? list.flatMap((each) => readApproval(kind, each) ?? []) : [];

function readApproval(kind: ApprovalKind, payload: unknown): Approval | undefined {
  if (!isRecord(payload) || !isRecord(payload['request'])) return undefined;
  const { request } = payload;
  const id = textAt(payload, 'id');
  if (id === undefined) return undefined;
  return {
    kind,
    id,
    runId: textAt(request, 'runId'),
    sessionKey: textAt(request, 'sessionKey'),
    decisions: decisionsIn(request),
    ...(kind === 'exec' ? commandIn(request) : actionIn(request)),
  };
}

type Fields = Readonly<Record<string, unknown>>;
type Words = Pick<Approval, 'title' | 'detail'>;

/** One field per line. Text from the agent or a plugin comes last, so that it cannot imitate a line of ours. */
function commandIn(request: Fields): Words {
  const machine = textAt(request, 'nodeId');
  return {
    title: 'OpenClaw: may this command run, once?',
    detail: [
      ...lineOf('Agent', textAt(request, 'agentId')),
      ...lineOf('Device', machine),
      ...lineOf('Folder', textAt(request, 'cwd')),
      ...warningsIn(request).flatMap((warning) => lineOf('Warning', warning)),
      ...lineOf('Command', textAt(request, 'command')),
    ].join('\n'),
  };
}

function actionIn(request: Fields): Words {
  return {
    title: `OpenClaw: ${visible(textAt(request, 'title') ?? 'may this tool run, once?')}`,
    detail: [
      ...lineOf('Agent', textAt(request, 'agentId')),
      ...lineOf('Plugin', textAt(request, 'pluginId')),
      ...lineOf('Tool', textAt(request, 'toolName')),
      ...['description', 'detail'].flatMap((name) => textAt(request, name) ?? []).map(visibleBlock),
    ].join('\n'),
  };
}

function warningsIn(request: Fields): readonly string[] {
  const analysis = request['commandAnalysis'];
  const found = isRecord(analysis) ? analysis['warningLines'] : undefined;
  const lines = Array.isArray(found) ? found.filter((line) => typeof line === 'string') : [];
  return [...(textAt(request, 'warningText') ?? '').split('\n'), ...lines];
}

const lineOf = (label: string, value: string | undefined): readonly string[] =>
  value === undefined || value.trim() === '' ? [] : [`${label}: ${visible(value)}`];

const ONCE = 'allow-once';
const DENY = 'deny';

/**
 * Never offers `allow-always`: it changes OpenClaw's policy for all users, which a caller over MCP must not do. OpenClaw
 * always accepts `deny`.
 */
function decisionsIn(request: Fields): Approval['decisions'] {
  const allowed = request['allowedDecisions'];
  return !Array.isArray(allowed) || allowed.includes(ONCE) ? [ONCE, DENY] : [DENY];
}
