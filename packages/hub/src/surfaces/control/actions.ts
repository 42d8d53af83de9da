/** What the control surface can do, by method and path. */
import type { Approvals } from '../../core/approvals/approvals.ts';
import type { Catalog } from '../../core/catalog/catalog.ts';
import { approvalActions } from './approval-actions.ts';
import type { CredentialBook } from './credential-book.ts';
import type { ControlActions } from './control.ts';
import { serverActions, type ServerParts } from './server-actions.ts';
import { tokenActions } from './token-actions.ts';
import { toolActions, type ToolParts } from './tool-actions.ts';
import { trustActions, type TrustParts } from './trust-actions.ts';

export interface ControlParts extends ServerParts, ToolParts, TrustParts {
  readonly catalog: Catalog;
  readonly book: CredentialBook;
  readonly approvals: Pick<Approvals, 'list' | 'decide'>;
  describe(): object;
  stop(): void;
}

export const createControlActions = (parts: ControlParts): ControlActions => ({
  'GET status': () => ({
    ...parts.describe(),
    held: parts.held().map(({ server, tool, why }) => ({ server, tool, why })),
    approvals: parts.approvals.list().filter(({ state }) => state === 'open').length,
  }),
  'GET clashes': () => parts.catalog.clashes(),
  'POST stop': () => parts.stop(),
  ...serverActions(parts),
  ...toolActions(parts),
  ...trustActions(parts),
  ...approvalActions(parts.approvals),
  ...tokenActions(parts.book),
});
