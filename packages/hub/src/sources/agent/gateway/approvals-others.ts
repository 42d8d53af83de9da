/** Who else is shown what a gateway asks: the people at OpenClaw's own windows. */
import { isRecord } from '../../../core/is-record.ts';
import type { ApprovalKind } from './approvals-read.ts';
import type { Gateway } from './gateway.ts';

/** By the names that they connect under. */
const ASKED: Readonly<Record<ApprovalKind, readonly string[]>> = {
  exec: ['openclaw-control-ui', 'openclaw-macos', 'openclaw-ios', 'openclaw-android'],
  plugin: ['openclaw-control-ui', 'openclaw-tui'],
};

/** Whoever is no administrator sees nothing of runs that another device has begun. */
const SEES_ALL = 'operator.admin';

export async function isAskedElsewhere(
  orders: Pick<Gateway, 'connect'>,
  kind: ApprovalKind,
): Promise<boolean> {
  const socket = await orders.connect();
  return isAmong(await socket.request<unknown>('system-presence', {}), kind);
}

export const isAmong = (presence: unknown, kind: ApprovalKind): boolean =>
  Array.isArray(presence) && presence.some((entry) => isRecord(entry) && isShown(entry, kind));

function isShown(entry: Readonly<Record<string, unknown>>, kind: ApprovalKind): boolean {
  const { clientId, scopes, reason } = entry;
  if (reason === 'disconnect' || typeof clientId !== 'string' || !ASKED[kind].includes(clientId))
    return false;
  return Array.isArray(scopes) && scopes.includes(SEES_ALL);
}
