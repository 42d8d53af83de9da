/** Who else is shown what a gateway asks: the people at OpenClaw's own windows. */
import { isRecord } from '../../../lib/is-record.ts';
import type { Gateway } from '../connection/gateway.ts';
import type { ApprovalKind } from './approvals-read.ts';

type AskedKind = ApprovalKind | 'question';

/** By the names that they connect under. A terminal shows the questions of the one conversation that it is in. */
const ASKED: Readonly<Record<AskedKind, readonly string[]>> = {
  exec: ['openclaw-control-ui', 'openclaw-macos', 'openclaw-ios', 'openclaw-android'],
  plugin: ['openclaw-control-ui', 'openclaw-tui'],
  question: ['openclaw-control-ui', 'openclaw-macos', 'openclaw-ios', 'openclaw-android'],
};

/** Whoever is no administrator is asked for no approval of a run that another device has begun. */
const SEE_ALL: Readonly<Record<AskedKind, readonly string[]>> = {
  exec: ['operator.admin'],
  plugin: ['operator.admin'],
  question: ['operator.admin', 'operator.questions'],
};

export async function isAskedElsewhere(orders: Pick<Gateway, 'connect'>, kind: AskedKind): Promise<boolean> {
  const socket = await orders.connect();
  return isAmong(await socket.request<unknown>('system-presence', {}), kind);
}

export const isAmong = (presence: unknown, kind: AskedKind): boolean =>
  Array.isArray(presence) && presence.some((entry) => isRecord(entry) && isShown(entry, kind));

function isShown(entry: Readonly<Record<string, unknown>>, kind: AskedKind): boolean {
  const { clientId, scopes, reason } = entry;
  if (reason === 'disconnect' || typeof clientId !== 'string' || !ASKED[kind].includes(clientId))
    return false;
  return Array.isArray(scopes) && SEE_ALL[kind].some((scope) => scopes.includes(scope));
}
