/** Follows a node until its commands may be used, and says at each step what is to be done for it. */
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
  /** Undefined: the hub is no node yet. */
  look(): Promise<NodeReport | undefined>;
  /** What only the gateway's people are told. */
  lookAsOperator(): Promise<OperatorView | undefined>;
  /** Where something has to be done: the text is said once. */
  say(text: string): void;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
  readonly refusedMs?: number;
}

/** The gateway knows of this node. */
export const isReached = (seen: NodeReport | undefined): seen is NodeReport =>
  seen?.is === 'connected' || seen?.is === 'paired' || seen?.is === 'pending';

const LOOK_MS = 500;
/** A gateway that has not let the node in within this time will not: it was there a moment before. */
const REFUSED_MS = 5_000;

/**
 * Returns the last that was seen of it: connected, or what it was when the wait ended. A node that the gateway has never let in, nor
 * asked anybody to approve, is not waited for.
 */
export async function followPairing(parts: PairParts): Promise<NodeReport | undefined> {
  const { look, say, signal, everyMs = LOOK_MS, refusedMs = REFUSED_MS } = parts;
  let said = '';
  let settled = '';
  let wasReached = false;
  const giveUpAt = performance.now() + refusedMs;
  for (;;) {
    const seen = await look();
    wasReached ||= isReached(seen);
    const isRefused = !wasReached && (seen?.is === 'backoff' || seen?.is === 'off');
    if (isRefused && performance.now() >= giveUpAt) return seen;
    if (seen?.is === 'connected' && (await isSettled(parts, seen))) {
      // Seen twice: it may be about to change.
      const mark = JSON.stringify(seen.commands);
      if (mark === settled) return seen;
      settled = mark;
    } else settled = '';
    const step = seen && settled === '' ? await stepFor(parts, seen) : undefined;
    if (step !== undefined && step !== said) say((said = step));
    if (signal.aborted) return seen;
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** A node of which some commands are approved may wait for others. */
async function isSettled({ lookAsOperator }: PairParts, { commands }: NodeReport): Promise<boolean> {
  if (commands === undefined || commands.usable.length === commands.declared.length) return true;
  const operator = await lookAsOperator();
  if (operator === undefined) return true;
  // What was approved at this moment, the node knows at the next.
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
    // Approved at this moment: the next look will see it.
    if (operator !== undefined && operator.requestId === undefined) return undefined;
    const id = operator?.requestId ?? '<id of openclaw nodes pending>';
    const here =
      operator === undefined ? '' : "This machine has the gateway's token: it can be run here, too.\n";
    return `${approve('What it can do', `openclaw nodes approve ${id}`)}${here}`;
  }
  return [reason, hint].filter((text) => text !== undefined).join(' ') + '\n';
}

const approve = (what: string, command: string): string =>
  `${what} waits to be approved. On the gateway's machine run:\n  ${command}\n`;

/** What a gateway says of this node to its own people, where their token is here. A node itself is told less. */
export interface OperatorView {
  /** What waits for an approval; undefined: nothing does. */
  readonly requestId: string | undefined;
  /** What was approved. */
  readonly commands: readonly string[];
  /** What the request for an approval names. */
  readonly waiting: readonly string[];
  /** Undefined: the gateway does not show its configuration. */
  readonly policy: CommandPolicy | undefined;
}

const PURPOSE = { ...OPERATOR, scopes: ['operator.read', 'operator.pairing'], caps: [] };

/** Undefined: the token is not here, or the gateway does not tell. */
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
