/** What `app.*` reports: the state of the gateway, and the sessions, agents and nodes that it lists. */
import { isRecord } from '../../lib/record.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { CommandFailure } from '../registry/capability.ts';

interface AppFacts {
  state(): GatewayState;
  /** Throws if there is no gateway or it does not answer. */
  ask(method: string): Promise<unknown>;
  sessions(): Promise<SessionFact[]>;
  nodes(): Promise<NodeFact[]>;
  /** Null if the gateway does not report it. */
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
        hint: 'This command needs a gateway of OpenClaw. Set agent.gatewayUrl, or run: openclaw configure --section gateway',
        notExecuted: true,
      });
    try {
      return await gateway.request(method, {});
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      log.debug('the gateway did not answer', { method, error });
      throw new CommandFailure('The gateway did not answer', {
        hint: 'Find the cause: pincer doctor',
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

/** What `app.*` needs from the rest of Pincer. */
export interface AppParts {
  /** Called before each request. Undefined if no gateway is configured. */
  gateway(): AppGateway | undefined;
  readonly settings: AppSettings;
}

interface AppGateway {
  state(): GatewayState;
  /** Rejects if the gateway is unreachable or refuses. */
  request<T>(method: string, params: object): Promise<T>;
}

export interface GatewayState {
  readonly connectionStatus: 'Connected' | 'Disconnected';
  readonly nodeConnected: boolean;
  readonly nodePaired: boolean;
  readonly nodePendingApproval: boolean;
  readonly gatewayVersion?: string | undefined;
}

/** Settings by their keys in config.json: `device.capabilities.screen`. */
interface AppSettings {
  get(key: string): unknown;
  /** Resolves when the value is on disk and in force. */
  set(key: string, value: boolean): Promise<void>;
}

interface SessionFact {
  readonly key: string;
  readonly status: string;
  readonly model: string | null;
  readonly ageText: string;
  readonly tokens: number;
}

interface NodeFact {
  readonly displayName: string;
  readonly nodeId: string;
  readonly isOnline: boolean;
  readonly platform: string;
  readonly capabilityCount: number;
  readonly commandCount: number;
}

type Item = Readonly<Record<string, unknown>>;

const sessionsIn = (answer: unknown, now: number): SessionFact[] =>
  listIn(answer, 'sessions').map((session) => ({
    key: textIn(session, 'key'),
    status: textIn(session, 'status') || 'active',
    model: textIn(session, 'model') || null,
    ageText: ageOf(session['updatedAt'], now),
    tokens:
      numberIn(session, 'inputTokens') + numberIn(session, 'outputTokens') ||
      numberIn(session, 'totalTokens'),
  }));

/** The keys of an agent's sessions start with `agent:<id>:`. */
export const ofAgent = (sessions: readonly SessionFact[], agentId: string): SessionFact[] =>
  sessions.filter(({ key }) => key.toLowerCase().startsWith(`agent:${agentId.toLowerCase()}:`));

const nodesIn = (answer: unknown): NodeFact[] =>
  listIn(answer, 'nodes').map((node) => ({
    displayName: textIn(node, 'displayName') || textIn(node, 'nodeId'),
    nodeId: textIn(node, 'nodeId'),
    isOnline: node['connected'] === true || node['online'] === true,
    platform: textIn(node, 'platform'),
    capabilityCount: Array.isArray(node['caps']) ? node['caps'].length : 0,
    commandCount: Array.isArray(node['commands']) ? node['commands'].length : 0,
  }));

export const agentsIn = (answer: unknown): Item[] => listIn(answer, 'agents');

const listIn = (answer: unknown, name: string): Item[] => {
  const list = isRecord(answer) ? answer[name] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
};

const textIn = (item: Item, name: string): string => {
  const value = item[name];
  return typeof value === 'string' ? value : '';
};

const numberIn = (item: Item, name: string): number => {
  const value = item[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
};

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
];

/** `3h ago`. Empty if unknown. */
function ageOf(at: unknown, now: number): string {
  const time = typeof at === 'string' ? Date.parse(at) : at;
  if (typeof time !== 'number' || !Number.isFinite(time)) return '';
  const seconds = Math.max(0, Math.round((now - time) / 1_000));
  const unit = UNITS.find(([size]) => seconds >= size);
  return unit === undefined ? 'just now' : `${Math.floor(seconds / unit[0])}${unit[1]} ago`;
}
