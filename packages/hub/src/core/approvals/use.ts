/** What becomes of an approval when the call that used it up has ended. */
import type { Approvals } from './approvals.ts';
import { readInputRequired } from '../bridge/input-required.ts';
import { readUrlRequired } from '../bridge/url-required.ts';
import { onOutcome } from '../on-outcome.ts';
import type { Outcome } from '../outcome.ts';
import type { Era } from '../protocol.ts';
import type { Exchange } from '../request.ts';

/**
 * The code of a refusal after which an approval counts no more: what a person has allowed is not what was there to run.
 * Whoever exchanges files until they win has one try, and not as many as they like.
 */
export const PLAN_CHANGED = 'EXEC_PLAN_CHANGED';

/** The source's end of an approved call; `era` is the caller's. */
export const underApproval = (
  exchange: Exchange,
  { approvals, id, era }: { readonly approvals: Approvals; readonly id: string; readonly era: Era },
): Exchange =>
  onOutcome(exchange, (outcome) => {
    if (isUnused(outcome, era)) approvals.giveBack(id);
    else approvals.forget(id);
  });

/** It did not run, or the server wants something of the client first and the same call will come again. */
function isUnused(outcome: Outcome, era: Era): boolean {
  if (outcome.kind === 'not_executed') return outcome.reason.data?.['code'] !== PLAN_CHANGED;
  try {
    if ('error' in outcome) return readUrlRequired(outcome.error) !== undefined;
    // A legacy caller hears nothing of rounds: its one call goes through all of them.
    if (!('result' in outcome) || outcome.era === 'legacy' || era === 'legacy') return false;
    return readInputRequired(outcome.result) !== undefined;
  } catch {
    return false;
  }
}
