/** What a gateway says of this node to its own people, where their token is here. A node itself is told less. */
import { isRecord, valueAt } from '../../lib/record.ts';
import type { DeviceIdentity } from '../../core/ports.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import { OPERATOR } from '../../openclaw/handshake.ts';
import { requestIdIn } from '../../openclaw/refusal.ts';
import { openSocket } from '../../openclaw/socket.ts';
import { isGuarded } from '../../device/node/auth.ts';
import { policyIn, type CommandPolicy } from './allow-line.ts';

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
