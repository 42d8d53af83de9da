/** All routes of the control API. The compiler reports one that the contract has and nothing handles. */
import type { Catalog } from '../core/catalog/catalog.ts';
import { appActions, type AppParts } from './app-actions.ts';
import { approvalActions, type ApprovalParts } from './approval-actions.ts';
import { bindRoutes, type BoundRoutes } from './bind-routes.ts';
import type { ControlRoute } from './contract/contract.ts';
import type { HubStatus } from './contract/status.ts';
import type { CredentialBook } from './credential-book.ts';
import { deviceActions, type DeviceParts } from './device-actions.ts';
import { serverActions, type ServerParts } from './server-actions.ts';
import { signInActions, type SignInParts } from './sign-in-actions.ts';
import { createStatusFeed } from './status-feed.ts';
import { tokenActions, type TokenParts } from './token-actions.ts';
import { toolActions, type ToolParts } from './tool-actions.ts';
import { trustActions, type TrustParts } from './trust-actions.ts';

export interface ControlParts
  extends ServerParts, ToolParts, TrustParts, ApprovalParts, AppParts, DeviceParts {
  readonly catalog: Catalog;
  readonly book: CredentialBook;
  readonly signIns: SignInParts;
  forgetCaller: TokenParts['forgetCaller'];
  /** The status, without what this room adds to it. */
  describe(): Promise<Omit<HubStatus, 'revision' | 'held' | 'approvals'>>;
  now(): number;
  stop(): void;
}

/** A client that waits for a change asks again after this long. */
const MAX_WAIT_MS = 25_000;

export const createControlActions = (parts: ControlParts): BoundRoutes<ControlRoute> => ({
  ...hubActions(parts),
  ...serverActions(parts),
  ...toolActions(parts),
  ...trustActions(parts),
  ...approvalActions(parts),
  ...tokenActions(parts),
  ...appActions(parts),
  ...deviceActions(parts),
  ...signInActions(parts.signIns, parts.book),
});

function hubActions(parts: ControlParts) {
  const feed = createStatusFeed(
    async () => ({
      ...(await parts.describe()),
      held: parts.held().map(({ server, tool, why }) => ({ server, tool, why })),
      approvals: parts.approvals.list().filter(({ state }) => state === 'open').length,
    }),
    () => parts.now(),
  );
  return bindRoutes({
    'GET status': ({ query: { since } }) => feed.next(since, since === undefined ? 0 : MAX_WAIT_MS),
    'GET clashes': () => parts.catalog.clashes(),
    'POST stop': () => parts.stop(),
  });
}
