/** What a gateway says of its sessions, agents and nodes, as other nodes show it. Gateways differ: what is missing is empty. */
import { isRecord } from '../../lib/is-record.ts';

export interface SessionFact {
  readonly key: string;
  readonly status: string;
  readonly model: string | null;
  readonly ageText: string;
  readonly tokens: number;
}

export interface NodeFact {
  readonly displayName: string;
  readonly nodeId: string;
  readonly isOnline: boolean;
  readonly platform: string;
  readonly capabilityCount: number;
  readonly commandCount: number;
}

type Item = Readonly<Record<string, unknown>>;

export const sessionsIn = (answer: unknown, now: number): SessionFact[] =>
  listIn(answer, 'sessions').map((session) => ({
    key: textIn(session, 'key'),
    status: textIn(session, 'status') || 'active',
    model: textIn(session, 'model') || null,
    ageText: ageOf(session['updatedAt'], now),
    tokens:
      numberIn(session, 'inputTokens') + numberIn(session, 'outputTokens') ||
      numberIn(session, 'totalTokens'),
  }));

/** Its sessions are called `agent:<id>:…`. */
export const ofAgent = (sessions: readonly SessionFact[], agentId: string): SessionFact[] =>
  sessions.filter(({ key }) => key.toLowerCase().startsWith(`agent:${agentId.toLowerCase()}:`));

export const nodesIn = (answer: unknown): NodeFact[] =>
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

/** `3h ago`; of what is not known, nothing. */
function ageOf(at: unknown, now: number): string {
  const time = typeof at === 'string' ? Date.parse(at) : at;
  if (typeof time !== 'number' || !Number.isFinite(time)) return '';
  const seconds = Math.max(0, Math.round((now - time) / 1_000));
  const unit = UNITS.find(([size]) => seconds >= size);
  return unit === undefined ? 'just now' : `${Math.floor(seconds / unit[0])}${unit[1]} ago`;
}
