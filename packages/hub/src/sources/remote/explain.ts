/** Which call a message of a server belongs to, where the wire does not tell. Pure. */
import type { Era } from '../../core/protocol.ts';
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
 * says is that caller's, and the oldest call that can explain it carries it. With several, a legacy server may speak
 * of a call that ended long ago: that reaches nobody. A modern one may speak of calls under way only, so that a
 * message that a single call can explain is that call's.
 */
export function explainOnPipe(
  tenants: Tenants,
  era: Era,
  calls: Iterable<PendingCall>,
  isExplainedBy: (call: PendingCall) => boolean,
): PendingCall | undefined {
  if (tenants.areSeveral && era === 'legacy') return undefined;
  let found: PendingCall | undefined;
  for (const call of calls) {
    if (!isExplainedBy(call)) continue;
    if (!tenants.areSeveral) return call;
    if (found !== undefined) return undefined;
    found = call;
  }
  return found;
}
