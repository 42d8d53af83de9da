/** Which call a message of a server belongs to, where the wire does not tell. Pure. */
import type { PendingCall } from './pending-calls.ts';

/** The callers that have used a connection so far. */
export type Tenants = { readonly caller: string | undefined; readonly areSeveral: boolean };

export const NO_TENANTS: Tenants = { caller: undefined, areSeveral: false };

export const admitTenant = (tenants: Tenants, caller: string): Tenants =>
  tenants.caller === caller || tenants.areSeveral
    ? tenants
    : { caller, areSeveral: tenants.caller !== undefined };

/**
 * On a pipe nothing says which call a message is about. With one caller from the first call on, whatever the server
 * says is that caller's, and the oldest call that can explain it carries it. With several, it may speak of a call that
 * was cancelled or ended long ago: what might be another's reaches nobody.
 */
export function explainOnPipe(
  tenants: Tenants,
  calls: Iterable<PendingCall>,
  isExplainedBy: (call: PendingCall) => boolean,
): PendingCall | undefined {
  if (tenants.areSeveral) return undefined;
  for (const call of calls) if (isExplainedBy(call)) return call;
  return undefined;
}
