/** What `app.*` knows: of the gateway, as far as it answers, and of Pincer itself. */
import type { DevicePorts } from '../ports.ts';
import { CommandFailure } from '../registry/failure.ts';
import { nodesIn, sessionsIn, type NodeFact, type SessionFact } from './gateway-facts.ts';
import type { AppParts, GatewayState } from './parts.ts';

export interface AppFacts {
  state(): GatewayState;
  /** Throws where there is no gateway, or where it does not answer. */
  ask(method: string): Promise<unknown>;
  sessions(): Promise<SessionFact[]>;
  nodes(): Promise<NodeFact[]>;
  /** Null: the gateway does not say. */
  counts(): Promise<{ readonly sessions: number | null; readonly nodes: number | null }>;
}

const NO_GATEWAY: GatewayState = {
  connectionStatus: 'Disconnected',
  nodeConnected: false,
  nodePaired: false,
  nodePendingApproval: false,
};

export function createAppFacts(
  { clock, log }: Pick<DevicePorts, 'clock' | 'log'>,
  parts: AppParts,
): AppFacts {
  async function ask(method: string): Promise<unknown> {
    const gateway = parts.gateway();
    if (gateway === undefined)
      throw new CommandFailure('No gateway is configured', {
        hint: 'Pincer asks a gateway of OpenClaw for this: set agent.gatewayUrl, or run openclaw configure --section gateway.',
        notExecuted: true,
      });
    try {
      return await gateway.request(method, {});
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      log.debug('the gateway did not answer', { method, error });
      throw new CommandFailure('The gateway did not answer', {
        hint: '`pincer doctor` says what stands in the way.',
        cause: error,
      });
    }
  }

  const sessions = async (): Promise<SessionFact[]> => sessionsIn(await ask('sessions.list'), clock.now());
  const nodes = async (): Promise<NodeFact[]> => nodesIn(await ask('node.list'));
  const countOf = (list: Promise<readonly unknown[]>): Promise<number | null> =>
    list.then(
      ({ length }) => length,
      () => null,
    );

  return {
    state: () => parts.gateway()?.state() ?? NO_GATEWAY,
    ask,
    sessions,
    nodes,
    async counts() {
      const gateway = parts.gateway();
      if (gateway === undefined) return { sessions: 0, nodes: 0 };
      // Asking for the status must not open a connection.
      if (gateway.state().connectionStatus !== 'Connected') return { sessions: null, nodes: null };
      const [all, found] = await Promise.all([countOf(sessions()), countOf(nodes())]);
      return { sessions: all, nodes: found };
    },
  };
}
