/** Polls a node until its commands may be used, and says at each step what the person has to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeReport } from '../../control/contract/machine.ts';
import { isRecord, valueAt } from '../../lib/record.ts';
import type { DeviceIdentity } from '../../core/ports.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import { OPERATOR } from '../../openclaw/handshake.ts';
import { requestIdIn } from '../../openclaw/refusal.ts';
import { openSocket } from '../../openclaw/socket.ts';
import { isGuarded } from '../../device/node/auth.ts';
import { policyIn, type CommandPolicy } from './report.ts';

interface PairParts {
  /** Returns undefined if the hub is not a node yet. */
  look(): Promise<NodeReport | undefined>;
  /** What the gateway tells only to its operators. */
  lookAsOperator(): Promise<OperatorView | undefined>;
  /** Called once for each step that the person has to take. */
  say(text: string): void;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
  readonly refusedMs?: number;
}

/** Whether the gateway knows this node. */
export const isReached = (seen: NodeReport | undefined): seen is NodeReport =>
  seen?.is === 'connected' || seen?.is === 'paired' || seen?.is === 'pending';

const LOOK_MS = 500;
/** The gateway was reachable just before, so if it has not accepted the node by then, it will not. */
const REFUSED_MS = 5_000;

/**
 * Returns the last state of the node: connected, or its state when the wait ended. Stops early if the gateway neither
 * accepts the node nor asks for an approval.
 */
export async function followPairing(parts: PairParts): Promise<NodeReport | undefined> {
  const { look, say, signal, everyMs = LOOK_MS, refusedMs = REFUSED_MS } = parts;
  let lastStep = '';
  let settled = '';
  let wasReached = false;
  const giveUpAt = performance.now() + refusedMs;
  for (;;) {
    const seen = await look();
    wasReached ||= isReached(seen);
    const isRefused = !wasReached && (seen?.is === 'backoff' || seen?.is === 'off');
    if (isRefused && performance.now() >= giveUpAt) return seen;
    if (seen?.is === 'connected' && (await isSettled(parts, seen))) {
      // Require the same state twice, because it may be about to change.
      const mark = JSON.stringify(seen.commands);
      if (mark === settled) return seen;
      settled = mark;
    } else settled = '';
    const step = seen && settled === '' ? await stepFor(parts, seen) : undefined;
    if (step !== undefined && step !== lastStep) say((lastStep = step));
    if (signal.aborted) return seen;
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether no approval is pending: some commands may be approved while others still wait. */
async function isSettled({ lookAsOperator }: PairParts, { commands }: NodeReport): Promise<boolean> {
  if (commands === undefined || commands.usable.length === commands.declared.length) return true;
  const operator = await lookAsOperator();
  if (operator === undefined) return true;
  // The node learns of a new approval a moment later than the operator.
  return (
    operator.requestId === undefined && operator.commands.every((each) => commands.usable.includes(each))
  );
}

async function stepFor({ lookAsOperator }: PairParts, seen: NodeReport): Promise<string | undefined> {
  const { is, requestId, reason, hint } = seen;
  if (is === 'connecting') return undefined;
  if (is === 'pending')
    return approve('This device', `openclaw devices approve ${requestId ?? '<id of openclaw devices list>'}`);
  if (is === 'paired' || is === 'connected') {
    const operator = await lookAsOperator();
    // It was just approved; the next poll will show it.
    if (operator !== undefined && operator.requestId === undefined) return undefined;
    const id = operator?.requestId ?? '<id of openclaw nodes pending>';
    const here =
      operator === undefined ? '' : "This machine has the gateway's token, so you can also run it here.\n";
    return `${approve('The commands of this machine', `openclaw nodes approve ${id}`)}${here}`;
  }
  return [reason, hint].filter((text) => text !== undefined).join(' ') + '\n';
}

const approve = (what: string, command: string): string =>
  `${what} must be approved. Run on the gateway's machine:\n  ${command}\n`;

/** What the gateway tells its operators about this node. Available only if the operator's token is on this machine. */
export interface OperatorView {
  /** The pending approval request, if any. */
  readonly requestId: string | undefined;
  /** Approved commands. */
  readonly commands: readonly string[];
  /** Commands in the pending request. */
  readonly waiting: readonly string[];
  /** Undefined if the gateway does not show its configuration. */
  readonly policy: CommandPolicy | undefined;
}

const PURPOSE = { ...OPERATOR, scopes: ['operator.read', 'operator.pairing'], caps: [] };

/** Returns undefined if the token is not on this machine or the gateway does not answer. */
export async function lookAsOperator(
  address: GatewayAddress,
  identity: DeviceIdentity,
): Promise<OperatorView | undefined> {
  const { credential: auth, url } = address;
  if (auth === undefined || !isGuarded(url)) return undefined;
  const ending = new AbortController();
  try {
    const visitor = { identity, auth, purpose: PURPOSE, ending: ending.signal };
    const socket = await openSocket(address, visitor, () => undefined);
    try {
      const { nodes } = await socket.request<{ nodes?: unknown }>('node.list', {});
      const all = Array.isArray(nodes) ? nodes.filter(isRecord) : [];
      const own = all.find(({ nodeId }) => nodeId === identity.id) ?? {};
      const policy = await socket.request<unknown>('config.get', {}).then(
        (snapshot) => policyIn(valueAt(snapshot, ['config'])),
        () => undefined,
      );
      return {
        requestId: requestIdIn(own, 'pendingRequestId'),
        commands: textsIn(own['commands']),
        waiting: textsIn(own['pendingDeclaredCommands']),
        policy,
      };
    } finally {
      socket.close();
    }
  } catch {
    return undefined;
  }
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
